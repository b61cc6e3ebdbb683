#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-only
"""babeltrace.py DIR: prints a trace as make_trace.c does, read by babeltrace2."""

import sys

import bt2


def text(value):
    """A field in the form of pev_event_print_field()."""
    if isinstance(value, bt2._StringFieldConst):
        return '"%s"' % str(value)
    if isinstance(value, bt2._ArrayFieldConst):
        cls = value.cls.element_field_class
        items = list(value)
        if cls.field_value_range == 8 and isinstance(cls, bt2._UnsignedIntegerFieldClassConst):
            return "".join("%02x" % int(i) for i in items)
        return "[%s]" % ", ".join(text(i) for i in items)
    if value.cls.preferred_display_base == 16:
        return hex(int(value))
    return str(int(value))


def fields(struct):
    return [] if struct is None else [(n, text(struct[n])) for n in struct if n != "__end"]


def main():
    for msg in bt2.TraceCollectionMessageIterator(sys.argv[1]):
        if type(msg) is not bt2._EventMessageConst:
            continue
        event = msg.event
        parts = [
            str(msg.default_clock_snapshot.value),
            event.name,
            "cpu=%d" % int(event.packet.context_field["cpu_id"]),
            "tid=%d" % int(event.common_context_field["tid"]),
        ]
        every = fields(event.specific_context_field) + fields(event.payload_field)
        print(" ".join(parts + ["%s=%s" % f for f in every]))


main()
