# SPDX-License-Identifier: GPL-2.0
"""Runs code that it makes, until it is killed, and names it as runtimes do. Prints its pid before."""
import ctypes, mmap, os
# a loop in memory that no file backs, and its name, as runtimes that compile at run time leave it
code = bytes.fromhex('48c7c100000020' '48ffc9' '75fb' 'c3')
m = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
m.write(code)
at = ctypes.addressof(ctypes.c_char.from_buffer(m))
with open(f'/tmp/perf-{os.getpid()}.map', 'w') as f:
    f.write(f'{at:x} {len(code):x} LazyCompile:*spin app.js:7\n')
print(os.getpid(), flush=True)
run = ctypes.CFUNCTYPE(None)(at)
while True:
    run()
