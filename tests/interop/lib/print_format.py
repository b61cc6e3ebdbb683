# SPDX-License-Identifier: GPL-2.0
"""What a tracepoint's print format makes of the fields of a record, worked out from the text of
its file "format" in tracefs: a second reading of it, which shares nothing with the kernel's.

PrintFormat(text).pattern(fields) is that text, or a regular expression, of which only what depends
on the running kernel (addresses that are hashed, names of functions) matches more than one text.
"""
import re

TOKEN = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|(\'(?:[^\'\\]|\\.)\')|(0[xX][0-9a-fA-F]+|\d+)[uUlL]*'
                   r'|([A-Za-z_]\w*)|(->|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^~!<>?:(){}\[\],.]))')
TYPES = {"unsigned", "signed", "long", "int", "char", "short", "const", "void", "bool", "struct",
         "enum", "size_t", "ssize_t", "pid_t", "dev_t", "loff_t", "sector_t", "gfp_t", "pgoff_t",
         "ino_t", "uintptr_t", "blkcnt_t", "umode_t"} | {
             u + s + b + t for u, t in (("", ""), ("__", ""), ("", "_t"))
             for s in ("u", "s", "uint", "int") for b in ("8", "16", "32", "64")}
BITS = {"8": 8, "16": 16, "32": 32, "64": 64}
LEVELS = [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!="], ["<", ">", "<=", ">="],
          ["<<", ">>"], ["+", "-"], ["*", "/", "%"]]
SPEC = re.compile(r"%([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+))?(hh|h|ll|l|z|t|L)?(p[A-Za-z0-9]*|[a-zA-Z%])")


class Unknown(Exception):
    """The format has something that is not understood here."""


class Pattern(str):
    """A part of a regular expression, where a text can't be known."""


def tokens(text):
    at, found = 0, []
    text = text.rstrip()
    while at < len(text):
        m = TOKEN.match(text, at)
        if not m:
            raise Unknown("at " + text[at:at + 20])
        at = m.end()
        string, char, number, name, sign = m.groups()
        if string is not None:
            found.append(("string", unquote(string)))
        elif char is not None:
            found.append(("number", ord(unquote(char))))
        elif number is not None:
            found.append(("number", int(number, 16 if number[:2] in ("0x", "0X") else
                                        8 if number[0] == "0" else 10)))
        else:
            found.append(("name", name) if name else ("sign", sign))
    return found + [("end", "")]


def unquote(text):
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t", "0": "\0"}.get(m.group(1), m.group(1)),
                  text[1:-1])


def clip(value, bits, signed):
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def caster(words):
    """(int) and the like; a pointer is 64 bits, and what has no width here stays."""
    bits = next((b for w in words for n, b in BITS.items() if re.fullmatch(r"_*\w*?" + n + "(_t)?", w)
                 and w in TYPES), 0)
    if not bits:
        bits = 64 if "*" in words or "long" in words else 8 if "char" in words else \
            16 if "short" in words else 32 if {"int", "unsigned", "enum"} & set(words) else 64
    signed = not ("unsigned" in words or any(w.lstrip("_").startswith("u") for w in words) or
                  "*" in words or "size_t" in words)
    return lambda v: clip(v, bits, signed) if isinstance(v, int) else v


class Parser:
    """Makes functions of the fields out of C's expressions."""

    def __init__(self, text):
        self.tokens = tokens(text)
        self.at = 0

    def take(self, *signs):
        kind, value = self.tokens[self.at]
        if kind == "sign" and value in signs:
            self.at += 1
            return value
        return None

    def need(self, sign):
        if not self.take(sign):
            raise Unknown("no %s before %s" % (sign, self.tokens[self.at][1]))

    def name(self):
        kind, value = self.tokens[self.at]
        if kind != "name":
            raise Unknown("no name: %s" % value)
        self.at += 1
        return value

    def expression(self):
        condition = self.binary(0)
        if not self.take("?"):
            return condition
        yes = self.expression()
        self.need(":")
        no = self.expression()
        return lambda f: yes(f) if truth(condition(f)) else no(f)

    def binary(self, level):
        if level == len(LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while True:
            sign = self.take(*LEVELS[level])
            if not sign:
                return left
            left = combine(sign, left, self.binary(level + 1))

    def cast(self):
        """The type in parentheses at this place, or None."""
        kind, value = self.tokens[self.at + 1]
        if self.tokens[self.at] != ("sign", "(") or kind != "name" or value not in TYPES:
            return None
        words = []
        self.at += 1
        while not self.take(")"):
            words.append(self.tokens[self.at][1])
            self.at += 1
        return caster(words)

    def unary(self):
        cast = self.cast()
        if cast:
            inner = self.unary()
            return lambda f: cast(inner(f))
        sign = self.take("!", "~", "-", "+")
        if not sign:
            return self.postfix()
        inner = self.unary()
        return {"!": lambda f: int(not truth(inner(f))), "~": lambda f: ~inner(f),
                "-": lambda f: -inner(f), "+": inner}[sign]

    def postfix(self):
        value = self.primary()
        while self.take("["):
            value = index(value, self.expression())
            self.need("]")
        return value

    def primary(self):
        kind, value = self.tokens[self.at]
        self.at += 1
        if kind in ("number", "string"):
            while kind == "string" and self.tokens[self.at][0] == "string":
                value += self.tokens[self.at][1]
                self.at += 1
            return lambda f: value
        if (kind, value) == ("sign", "("):
            inner = self.expression()
            self.need(")")
            return inner
        if kind == "name" and value == "REC":
            self.need("->")
            field = self.name()
            return lambda f: f[field]
        if kind == "name" and value == "sizeof":
            raise Unknown("sizeof")
        if kind == "name" and self.take("("):
            return self.call(value)
        raise Unknown(value)

    def call(self, name):
        if name in ("__get_str", "__get_rel_str", "__get_dynamic_array", "__get_rel_dynamic_array"):
            field = self.name()
            self.need(")")
            return lambda f: f[field]
        if name == "__get_dynamic_array_len":
            field = self.name()
            self.need(")")
            return lambda f: len(f[field])
        if name not in ("__print_flags", "__print_symbolic", "__print_array", "__print_hex",
                        "__print_flags_u64", "__print_symbolic_u64"):
            raise Unknown(name)
        args, pairs = [self.expression()], []
        while self.take(","):
            if self.take("{"):
                number = self.expression()
                self.need(",")
                pairs.append((number, self.expression()))
                self.need("}")
            else:
                args.append(self.expression())
        self.need(")")
        return lambda f: helper(name, [a(f) for a in args], [(n(f), t(f)) for n, t in pairs])


def truth(value):
    return bool(value) if isinstance(value, int) else True


def combine(sign, a, b):
    def both(fn):
        return lambda f: fn(a(f), b(f))

    def divide(x, y):
        q = abs(x) // abs(y)
        return q if (x < 0) == (y < 0) else -q

    return {
        "||": lambda f: int(truth(a(f)) or truth(b(f))),
        "&&": lambda f: int(truth(a(f)) and truth(b(f))),
        "|": both(lambda x, y: x | y), "^": both(lambda x, y: x ^ y),
        "&": both(lambda x, y: x & y), "==": both(lambda x, y: int(x == y)),
        "!=": both(lambda x, y: int(x != y)), "<": both(lambda x, y: int(x < y)),
        ">": both(lambda x, y: int(x > y)), "<=": both(lambda x, y: int(x <= y)),
        ">=": both(lambda x, y: int(x >= y)), "<<": both(lambda x, y: x << y),
        ">>": both(lambda x, y: x >> y), "+": both(lambda x, y: x + y),
        "-": both(lambda x, y: x - y), "*": both(lambda x, y: x * y),
        "/": both(divide), "%": both(lambda x, y: x - divide(x, y) * y),
    }[sign]


def index(value, at):
    return lambda f: value(f)[at(f)]


def helper(name, args, pairs):
    """What trace_print_flags_seq() and its like append."""
    if name.startswith("__print_symbolic"):
        value = args[0]
        return next((t for n, t in pairs if n == value), "0x%x" % clip(value, 64, False))
    if name.startswith("__print_flags"):
        # both are of type unsigned long
        left, words = clip(args[0], 64, False), []
        for number, text in pairs:
            number = clip(number, 64, False)
            if left & number == number and (number or not left):
                words.append(text)
                left &= ~number
        if left:
            words.append("0x%x" % left)
        return args[1].join(words)
    if name == "__print_hex":
        return " ".join("%02x" % b for b in list(args[0])[:args[1]])
    return "{%s}" % ",".join("0x%x" % clip(v, 8 * args[2], False) for v in list(args[0])[:args[1]])


def number_text(flags, width, precision, length, kind, value):
    bits = {"hh": 8, "h": 16, "l": 64, "ll": 64, "z": 64, "t": 64, "L": 64}.get(length, 32)
    if not isinstance(value, int):
        raise Unknown("%%%s of a text" % kind)
    value = clip(value, bits, kind in "di")
    kind = "d" if kind in "diu" else kind
    spec = "%" + flags + ("" if width is None else str(width)) + \
        ("" if precision is None else "." + str(precision)) + kind
    # 0x of 0 is Python's, too; C's # of octal is another
    return (spec % value).replace("0o", "0") if kind == "o" else spec % value


def pad(text, flags, width):
    if not width:
        return text
    return text.ljust(width) if "-" in flags else text.rjust(width)


def pointer_text(kind, value):
    if kind == "pI4" and not isinstance(value, (int, str)):
        return ".".join(str(int(b)) for b in list(value)[:4])
    if kind == "pM" and not isinstance(value, (int, str)):
        return ":".join("%02x" % int(b) for b in list(value)[:6])
    if kind in ("p", "pK", "px", "pS", "ps", "pF", "pf", "pB", "pI6", "pI6c", "pISpc", "pU", "pUl"):
        return Pattern(r"[^ ,;)]+(?: \[\w+\])?")
    raise Unknown("%" + kind)


class PrintFormat:
    """@format: the file of tracefs"""

    def __init__(self, text):
        line = re.search(r"^print fmt: (.*)", text, re.M | re.S).group(1).strip()
        parser = Parser(line)
        kind, self.text = parser.tokens[0]
        if kind != "string":
            raise Unknown("no text")
        parser.at = 1
        while parser.tokens[parser.at][0] == "string":
            self.text += parser.tokens[parser.at][1]
            parser.at += 1
        if "\n" in self.text:
            raise Unknown("more than a line")
        self.args = []
        while parser.take(","):
            self.args.append(parser.expression())
        if parser.tokens[parser.at][0] != "end":
            raise Unknown("behind the end: %s" % (parser.tokens[parser.at],))
        for m in SPEC.finditer(self.text):
            if m.group(5)[0] == "p":
                pointer_text(m.group(5), 0 if m.group(5) not in ("pI4", "pM") else [0] * 6)
            elif m.group(5) not in "diuxXoscp%":
                raise Unknown(m.group(0))

    def pattern(self, fields):
        """The text, or what it matches where a pointer may be shown in several ways."""
        args = iter([a(fields) for a in self.args])

        def one(m):
            flags, width, precision, length, kind = m.groups()
            if kind == "%":
                return "%"
            width = next(args) if width == "*" else int(width) if width else None
            precision = next(args) if precision == "*" else int(precision) if precision else None
            value = next(args)
            if kind == "s":
                if not isinstance(value, str):
                    raise Unknown("%s of a number")
                return pad(value[:precision], flags, width)
            if kind == "c":
                return pad(chr(value & 255), flags, width)
            if kind[0] == "p":
                text = pointer_text(kind, value)
                return text if isinstance(text, Pattern) else pad(text, flags, width)
            return number_text(flags, width, precision, length, kind, value)

        parts, at = [], 0
        for m in SPEC.finditer(self.text):
            parts += self.text[at:m.start()], one(m)
            at = m.end()
        parts.append(self.text[at:])
        if not any(isinstance(p, Pattern) for p in parts):
            return "".join(parts)
        return Pattern("".join(p if isinstance(p, Pattern) else re.escape(p) for p in parts))
