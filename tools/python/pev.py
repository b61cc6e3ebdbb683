# SPDX-License-Identifier: LGPL-2.1-only
"""pev: read traces and open performance events from Python, through libpev.

    import pev

    with pev.Trace("pev.trace") as trace:
        for e in trace.events("sched:*"):
            print(e.time, e.cpu, e.tid, e.name, e["next_comm"])

    with pev.Channel() as channel:
        channel.open("raw_syscalls:sys_enter", pid=1234)
        for e in channel.read():
            print(e.name, e["id"])

    pev.mark("shop:checkout", order=4711, city="Rome")

The last line writes an event, without a system call, for those who record
user:shop:*; if no recording does, it does nothing.

What was recorded with perfctl record --context, or with the sample "context",
has event.request: the trace id and the span id of the request that the thread
worked for, as W3C's Trace Context writes them, or None.

Times are ns since the epoch. An event of a trace is good until the trace is
closed; one of a channel until the next one is asked for: take what you need of
it, or event.dict(). Errors are pev.Error, an OSError with the library's or the
kernel's own sentence.

The library is the one that $LIBPEV names, libpev.so.1, or in the source tree
the one that was built there.
"""
import ctypes as c
import errno
import fnmatch
import os
import typing

_u8, _u16, _u32, _u64, _i32, _i64 = (c.c_uint8, c.c_uint16, c.c_uint32, c.c_uint64, c.c_int32,
                                     c.c_int64)

SAMPLE = {name: 1 << bit for bit, name in enumerate(
    ("tid", "pid", "ip", "addr", "period", "cpu", "kstack", "ustack", "uregs", "read", "dump",
     "guest", "context"))} | {"exit": 1 << 15}
_TARGET_TASK, _TARGET_PROCESS, _TARGET_SUBTREE, _TARGET_CPUS = 1, 2, 3, 4
GUEST_CODE, GUEST_USER = 1, 2
_INT, _ARRAY, _SEQUENCE, _STRING = range(4)
_F_DISABLED, _F_FREQ = 1, 4
_FETCH_ALL = 1


class Error(OSError):
    """What libpev or the kernel refused, in its own words."""


class _Error(c.Structure):
    _fields_ = [("error", _u32), ("field", _u32), ("min", _u64), ("max", _u64),
                ("text", c.c_char * 488), ("line", _u32), ("reserved", _u32 * 5)]


class _Field(c.Structure):
    _fields_ = [("name", c.c_char_p), ("shape", _u8), ("size", _u8), ("align", _u8),
                ("is_signed", c.c_bool), ("is_text", c.c_bool), ("base", _u8), ("index", _u16),
                ("count", _u32), ("length", _i32), ("offset", _i32), ("reserved", _u32 * 9)]


class _Class(c.Structure):
    _fields_ = [("id", _u32), ("stream_id", _u32), ("index", _u32), ("name", c.c_char_p), ("uri", c.c_char_p),
                ("type", _u32), ("period", _u64), ("freq", _u64), ("sample", _u64),
                ("nr_context", c.c_uint), ("nr_fields", c.c_uint), ("context", c.POINTER(_Field)),
                ("fields", c.POINTER(_Field))]


class _Event(c.Structure):
    _fields_ = [("time", _u64), ("cls", c.POINTER(_Class)), ("payload", c.c_void_p),
                ("record", c.c_void_p), ("payload_len", _u32), ("record_len", _u32),
                ("meta", c.c_void_p), ("stream", c.c_void_p), ("cpu", _u32), ("tid", _u32),
                ("pid", _u32), ("sample_cpu", _u32), ("ip", _u64), ("addr", _u64),
                ("period", _u64), ("kstack", c.POINTER(_u64)), ("ustack", c.POINTER(_u64)),
                ("kstack_len", _u32), ("ustack_len", _u32), ("uregs", c.POINTER(_u64)),
                ("values", c.POINTER(_u64)), ("dump", c.POINTER(_u8)), ("uregs_len", _u32),
                ("values_len", _u32), ("dump_len", _u64), ("guest", _u32),
                ("ustack_cookie", _u64), ("cgroup", _u64), ("packet", c.c_void_p), ("exit", _u64)]


class _Request(c.Structure):
    _fields_ = [("trace_high", _u64), ("trace_low", _u64), ("span", _u64)]


class _Attr(c.Structure):
    _fields_ = [("type", _u32), ("target", _u32), ("flags", _u64), ("sample", _u64),
                ("config", _u64), ("config1", _u64), ("config2", _u64), ("pmu", _u32),
                ("reserved", _u32), ("name", _u64), ("filter", _u64), ("period", _u64),
                ("channel_fd", _i32), ("group_fd", _i32), ("target_id", _i32),
                ("cpus_size", _u32), ("cpus", _u64), ("regs_user", _u64), ("stack_user", _u32),
                ("max_stack", _u32), ("ring_size", _u64), ("packet_size", _u32),
                ("watermark", _u32), ("flush_ms", _u32), ("clock", _u32), ("refusal", _u64),
                ("info", _u64), ("refusal_size", _u32), ("info_size", _u32)]


class _UserValue(c.Structure):
    _fields_ = [("word", _u64), ("text", c.c_char_p), ("len", _u32)]


class _Value(c.Structure):
    _fields_ = [(n, _u64) for n in ("value", "time_enabled", "time_running", "lost", "filtered",
                                    "samples")]


# Structures that have one size for ever, and those that the library allocates and may extend
_FIXED = {"pev_error": _Error, "pev_field": _Field, "pev_attr": _Attr, "pev_value": _Value,
          "pev_request": _Request}
_GROWING = {"pev_class": _Class, "pev_event": _Event}

_lib = None
_PTR = c.c_void_p
_PROTOTYPES = {
    # name: (result, arguments)
    "pev_version": (c.c_char_p, ()),
    "pev_struct_size": (c.c_size_t, (c.c_char_p,)),
    "pev_trace_open": (c.c_int, (c.c_char_p, c.c_uint, c.POINTER(_PTR), c.POINTER(_Error))),
    "pev_trace_close": (None, (_PTR,)),
    "pev_trace_nr_classes": (c.c_uint, (_PTR,)),
    "pev_trace_class": (c.POINTER(_Class), (_PTR, c.c_uint)),
    "pev_trace_begin_ns": (_i64, (_PTR,)),
    "pev_trace_end_ns": (_i64, (_PTR,)),
    "pev_trace_lost": (_u64, (_PTR,)),
    "pev_trace_info": (c.c_char_p, (_PTR, c.c_char_p)),
    "pev_trace_nr_warnings": (c.c_uint, (_PTR,)),
    "pev_trace_warning": (c.c_char_p, (_PTR, c.c_uint)),
    "pev_cursor_open": (c.c_int, (_PTR, _PTR, c.c_uint, c.POINTER(_PTR))),
    "pev_cursor_close": (None, (_PTR,)),
    "pev_cursor_next": (c.c_int, (_PTR, c.POINTER(c.POINTER(_Event)))),
    "pev_cursor_seek": (c.c_int, (_PTR, _i64)),
    "pev_event_ns": (_i64, (c.POINTER(_Event),)),
    "pev_event_request": (c.c_bool, (c.POINTER(_Event), c.POINTER(_Request))),
    "pev_event_locate": (_PTR, (c.POINTER(_Event), c.POINTER(_Field), c.POINTER(c.c_size_t))),
    "pev_attr_channel": (None, (c.POINTER(_Attr), _u64)),
    "pev_attr_event": (None, (c.POINTER(_Attr), _u32, _u64, c.c_char_p)),
    "pev_attr_by_name": (c.c_int, (c.POINTER(_Attr), c.c_char_p)),
    "pev_attr_record": (None, (c.POINTER(_Attr), c.c_int, _u64, _u64)),
    "pev_attr_target": (None, (c.POINTER(_Attr), _u32, c.c_int)),
    "pev_attr_filter": (None, (c.POINTER(_Attr), c.c_char_p)),
    "pev_attr_open": (c.c_int, (c.POINTER(_Attr), c.c_uint, c.POINTER(_Error))),
    "pev_fd_enable": (c.c_int, (c.c_int, c.c_uint)),
    "pev_fd_disable": (c.c_int, (c.c_int, c.c_uint)),
    "pev_fd_read": (c.c_int, (c.c_int, c.POINTER(_Value))),
    "pev_reader_open": (c.c_int, (_PTR, c.c_int, c.c_uint, c.POINTER(_PTR),
                                  c.POINTER(_Error))),
    "pev_reader_close": (None, (_PTR,)),
    "pev_reader_wait": (c.c_int, (_PTR, c.c_int)),
    "pev_reader_fetch": (c.c_int, (_PTR, c.c_uint, c.POINTER(_Error))),
    "pev_reader_next": (c.c_int, (_PTR, c.POINTER(c.POINTER(_Event)))),
    "pev_reader_channel": (_PTR, (_PTR,)),
    "pev_channel_lost": (_u64, (_PTR,)),
    "pev_marks_new": (c.c_int, (c.c_char_p, c.c_char_p, c.c_char_p, c.POINTER(_PTR))),
    "pev_marks_on": (c.c_bool, (_PTR,)),
    "pev_marks_write": (None, (_PTR, c.POINTER(_UserValue))),
}


def _load():
    """$LIBPEV, what is installed, or beside this file what "make perfctl" has built."""
    if "LIBPEV" in os.environ:
        return c.CDLL(os.environ["LIBPEV"])
    try:
        return c.CDLL("libpev.so.1")
    except OSError as e:
        top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
        built = os.path.join(top, "build", os.uname().machine, "tools/libpev/libpev.so.1")
        if os.path.exists(built):
            return c.CDLL(built)
        raise OSError(f"{e}: LIBPEV=.../libpev.so.1 names it, which \"make perfctl\" builds "
                      f"in build/{os.uname().machine}/tools/libpev") from None


def library():
    """libpev, loaded at its first use."""
    global _lib
    if _lib is None:
        _lib = _load()
        for name, (result, arguments) in _PROTOTYPES.items():
            function = getattr(_lib, name)
            function.restype, function.argtypes = result, arguments
        _check_sizes(_lib)
    return _lib


def _check_sizes(lib):
    """A library that lays out its structures otherwise would be read wrongly."""
    for table, fits in ((_FIXED, int.__eq__), (_GROWING, int.__le__)):
        for name, ours in table.items():
            if not fits(c.sizeof(ours), lib.pev_struct_size(name.encode())):
                raise ImportError(f"this module does not fit libpev {lib.pev_version().decode()}: "
                                  f"struct {name} has another size")


def version():
    return library().pev_version().decode()


def _text(b):
    return b.decode("utf-8", "surrogateescape")


def _check(ret, text=None):
    if ret < 0:
        raise Error(-ret, _text(text) if text else os.strerror(-ret))
    return ret


class Request(typing.NamedTuple):
    """For what a thread worked, as it said itself: identifiers in hexadecimal."""
    trace: str
    span: str


class EventClass:
    """A kind of event: its name, its fields, what its records carry."""

    def __init__(self, raw):
        self._raw = raw
        self.name = _text(raw.name)
        self.uri = _text(raw.uri)
        self.period, self.freq = raw.period, raw.freq
        self.sample = {name for name, bit in SAMPLE.items() if raw.sample & bit}
        self._fields = {_text(raw.fields[i].name): raw.fields[i] for i in range(raw.nr_fields)}
        self.fields = tuple(self._fields)

    def __repr__(self):
        return f"<class {self.name} ({', '.join(self.fields)})>"


_NUMBERS = {(size, signed): t for t, size, signed in (
    (_u8, 1, False), (c.c_int8, 1, True), (_u16, 2, False), (c.c_int16, 2, True),
    (_u32, 4, False), (_i32, 4, True), (_u64, 8, False), (_i64, 8, True))}


class Event:
    """A record. event["field"] is an int, a str, bytes or a tuple of ints, by its type."""

    def __init__(self, raw, cls):
        self._raw, self.cls = _Event.from_buffer_copy(raw), cls

    name = property(lambda self: self.cls.name)
    ticks = property(lambda self: self._raw.time)
    cpu = property(lambda self: self._raw.cpu)
    tid = property(lambda self: self._raw.tid)
    pid = property(lambda self: self._raw.pid)
    ip = property(lambda self: self._raw.ip)
    addr = property(lambda self: self._raw.addr)
    period = property(lambda self: self._raw.period)
    guest = property(lambda self: self._raw.guest, doc="PEV_GUEST_*: 0 of the host")
    exit = property(lambda self: self._raw.exit,
                    doc="why the guest was left for which the host works, by PEV_EXIT_WORD(); 0: none")

    @property
    def time(self):
        """ns since the epoch"""
        return library().pev_event_ns(c.byref(self._raw))

    @property
    def kernel_chain(self):
        """Addresses of the call chain in the kernel, innermost first"""
        return tuple(self._raw.kstack[:self._raw.kstack_len])

    @property
    def user_chain(self):
        return tuple(self._raw.ustack[:self._raw.ustack_len])

    @property
    def registers(self):
        return tuple(self._raw.uregs[:self._raw.uregs_len])

    @property
    def values(self):
        """Counts of the event's group"""
        return tuple(self._raw.values[:self._raw.values_len])

    @property
    def stack(self):
        """Bytes of the user stack"""
        return bytes(self._raw.dump[:self._raw.dump_len])

    @property
    def request(self):
        """The Request that the thread worked for, or None"""
        r = _Request()
        if not library().pev_event_request(c.byref(self._raw), c.byref(r)):
            return None
        return Request(f"{r.trace_high:016x}{r.trace_low:016x}", f"{r.span:016x}")

    def __getitem__(self, name):
        field = self.cls._fields[name]
        count = c.c_size_t()
        at = library().pev_event_locate(c.byref(self._raw), c.byref(field), c.byref(count))
        if not at:
            raise Error(errno.EBADMSG, f"{self.name}: the record of {name} is damaged")
        if field.shape == _STRING or (field.is_text and field.size == 1 and field.shape != _INT):
            return _text(c.string_at(at, count.value).split(b"\0", 1)[0])
        number = _NUMBERS[field.size, field.is_signed]
        if field.shape == _INT:
            return number.from_address(at).value
        if field.size == 1 and not field.is_signed:
            return c.string_at(at, count.value)
        return tuple((number * count.value).from_address(at))

    def get(self, name, default=None):
        return self[name] if name in self.cls._fields else default

    def keys(self):
        return self.cls.fields

    def dict(self):
        """All fields by name, to keep"""
        return {name: self[name] for name in self.cls.fields}

    def __repr__(self):
        return f"<{self.name} cpu={self.cpu} tid={self.tid} {self.dict()}>"


class Trace:
    """A recording on disk."""

    def __init__(self, path):
        self._lib, self._trace = library(), _PTR()
        error = _Error()
        _check(self._lib.pev_trace_open(os.fsencode(path), 0, c.byref(self._trace), c.byref(error)),
               error.text)
        self.classes = [EventClass(self._lib.pev_trace_class(self._trace, i).contents)
                        for i in range(self._lib.pev_trace_nr_classes(self._trace))]

    def close(self):
        if self._trace:
            self._lib.pev_trace_close(self._trace)
            self._trace = None

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    begin = property(lambda self: self._lib.pev_trace_begin_ns(self._trace))
    end = property(lambda self: self._lib.pev_trace_end_ns(self._trace))
    lost = property(lambda self: self._lib.pev_trace_lost(self._trace))

    @property
    def warnings(self):
        """What is damaged, as sentences"""
        return [_text(self._lib.pev_trace_warning(self._trace, i))
                for i in range(self._lib.pev_trace_nr_warnings(self._trace))]

    def info(self, key):
        """"command", "hostname", "release" and so on, or None"""
        value = self._lib.pev_trace_info(self._trace, key.encode())
        return None if value is None else _text(value)

    def events(self, *names, begin=None, end=None):
        """Events in order of time, of all CPUs; names may be globs.

        begin and end are ns since the epoch; what is before begin is not read.
        """
        cursor, event = _PTR(), c.POINTER(_Event)()
        wanted = [not names or any(fnmatch.fnmatchcase(k.name, n) for n in names)
                  for k in self.classes]
        _check(self._lib.pev_cursor_open(self._trace, None, 0, c.byref(cursor)))
        try:
            if begin is not None:
                _check(self._lib.pev_cursor_seek(cursor, begin))
            while _check(self._lib.pev_cursor_next(cursor, c.byref(event))):
                raw = event.contents
                index = raw.cls.contents.index
                if not wanted[index]:
                    continue
                e = Event(raw, self.classes[index])
                if end is not None and e.time >= end:
                    return
                yield e
        finally:
            self._lib.pev_cursor_close(cursor)

    def __iter__(self):
        return self.events()


class Counter:
    """An opened event: its count, and a switch."""

    def __init__(self, fd, name):
        self.fd, self.name = fd, name

    def read(self):
        """{"value": .., "time_enabled": .., "lost": ..} and so on"""
        value = _Value()
        _check(library().pev_fd_read(self.fd, c.byref(value)))
        return {name: getattr(value, name) for name, _ in _Value._fields_}

    def enable(self):
        _check(library().pev_fd_enable(self.fd, 0))

    def disable(self):
        _check(library().pev_fd_disable(self.fd, 0))

    def close(self):
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()


def _attr(name, pid, tid, subtree, filter):
    """The attribute, and what must live until it is opened."""
    attr, keep = _Attr(), [name.encode(), filter.encode() if filter else None]
    library().pev_attr_event(c.byref(attr), 0, 0, None)
    _check(library().pev_attr_by_name(c.byref(attr), keep[0]), f"no event {name}".encode())
    if subtree is not None:
        library().pev_attr_target(c.byref(attr), _TARGET_SUBTREE, subtree)
    elif pid is not None:
        library().pev_attr_target(c.byref(attr), _TARGET_PROCESS, pid)
    elif tid is not None:
        library().pev_attr_target(c.byref(attr), _TARGET_TASK, tid)
    else:
        library().pev_attr_target(c.byref(attr), _TARGET_CPUS, 0)
    if filter:
        library().pev_attr_filter(c.byref(attr), keep[1])
    return attr, keep


def _open(attr):
    error = _Error()
    return _check(library().pev_attr_open(c.byref(attr), 0, c.byref(error)), error.text)


def count(name, pid=None, tid=None, subtree=None, filter=None):
    """Count an event of a process, a thread (0: the caller), a subtree; of the machine if none."""
    attr, keep = _attr(name, pid, tid, subtree, filter)
    del keep[2:]
    return Counter(_open(attr), name)


class Channel:
    """Rings that events write into, read as the events happen."""

    def __init__(self, ring_size=1 << 20):
        self._lib, self._reader = library(), None
        self.events, self._classes = [], {}
        attr = _Attr()
        self._lib.pev_attr_channel(c.byref(attr), ring_size)
        self.fd = _open(attr)

    def open(self, name, pid=None, tid=None, subtree=None, filter=None, period=1, freq=None,
             sample=("tid", "pid")):
        """An event that writes records; sample: names of pev.SAMPLE."""
        attr, keep = _attr(name, pid, tid, subtree, filter)
        self._lib.pev_attr_record(c.byref(attr), self.fd, freq or period,
                                  sum(SAMPLE[s] for s in sample))
        if freq:
            attr.flags |= _F_FREQ
        counter = Counter(_open(attr), name)
        del keep[2:]
        self.events.append(counter)
        return counter

    def _opened(self):
        if self._reader is None:
            reader, error = _PTR(), _Error()
            _check(self._lib.pev_reader_open(None, self.fd, 0, c.byref(reader), c.byref(error)),
                   error.text)
            self._reader = reader
        return self._reader

    def wait(self, timeout_ms=-1):
        """True if a ring has reached its watermark; False at a time-out or a signal."""
        ready = self._lib.pev_reader_wait(self._opened(), timeout_ms)
        return ready != -errno.EINTR and _check(ready) > 0

    def _class(self, raw):
        at = c.addressof(raw.cls.contents)
        if at not in self._classes:
            self._classes[at] = EventClass(raw.cls.contents)
        return self._classes[at]

    def read(self, all=True):
        """What happened until now and was not read yet, of all CPUs in order of time.

        With all=False events that may have older ones on another CPU wait for the next
        read, so that the order is right from one read to the next, too.
        """
        event, error = c.POINTER(_Event)(), _Error()
        _check(self._lib.pev_reader_fetch(self._opened(), _FETCH_ALL if all else 0,
                                          c.byref(error)), error.text)
        while _check(self._lib.pev_reader_next(self._reader, c.byref(event))):
            raw = event.contents
            yield Event(raw, self._class(raw))

    @property
    def lost(self):
        return self._lib.pev_channel_lost(self._lib.pev_reader_channel(self._opened()))

    def close(self):
        if self.fd < 0:
            return
        self._lib.pev_reader_close(self._reader)
        for counter in self.events:
            counter.close()
        os.close(self.fd)
        self.fd, self._reader = -1, None

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()


class Mark:
    """A mark: an event that this program writes itself, with these fields.

    kinds are the types of the fields, by name and in order: int, float, str or bytes.
    """

    def __init__(self, name, **kinds):
        formats = {int: "%ld", float: "%f", str: "%s", bytes: "%s", bool: "%ld"}
        for field, kind in kinds.items():
            if kind not in formats:
                raise Error(errno.EINVAL, f"{name}: {field} is a {kind.__name__}: an int, a float, "
                                          "a str or bytes can be written")
        self._kinds = list(kinds.values())
        self._raw = _PTR()
        ret = library().pev_marks_new(
            name.encode(), " ".join(formats[kind] for kind in self._kinds).encode(),
            ",".join(kinds).encode(), c.byref(self._raw))
        # a program runs on with its marks off
        if ret != -errno.EOPNOTSUPP:
            _check(ret, f"{name} with {', '.join(kinds)} is no mark: PROVIDER:EVENT, of letters, "
                        "digits and _, and at most 16 fields".encode() if ret == -errno.EINVAL
                   else None)
        self._is_on = library().pev_marks_on

    @property
    def on(self):
        """Is the mark on?"""
        return self._is_on(self._raw)

    def __call__(self, *values):
        """Write the record, if the mark is on."""
        if not self._is_on(self._raw):
            return
        raw = (_UserValue * max(len(values), 1))()
        for to, kind, value in zip(raw, self._kinds, values):
            if kind is float:
                to.word = c.cast(c.pointer(c.c_double(value)), c.POINTER(_u64)).contents.value
            elif kind in (str, bytes):
                text = value.encode("utf-8", "surrogateescape") if kind is str else value
                to.text, to.len = text, len(text)
            else:
                to.word = value & 0xffffffffffffffff
        library().pev_marks_write(self._raw, raw)


_marks = {}


def mark(name, **fields):
    """Write a mark: the first call with a name and these types of fields registers it."""
    key = (name, *((field, type(value)) for field, value in fields.items()))
    found = _marks.get(key)
    if found is None:
        kinds = {field: type(value) for field, value in fields.items()}
        found = _marks[key] = Mark(name, **kinds)
    found(*fields.values())
