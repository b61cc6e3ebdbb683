#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Stands between perfctl and a store: usage: proxy.py TO_PORT PATTERN PIDFILE

Passes connections on, and prints its port. The answer to the first request that has PATTERN is
held back: when it has come from the store in full, the process named in PIDFILE is killed.
"""
import os
import re
import signal
import socket
import sys
import threading

to_port, pattern, pidfile = int(sys.argv[1]), sys.argv[2].encode(), sys.argv[3]
lock = threading.Lock()
killed = False


def read_message(sock):
    """One HTTP message, with its body."""
    data = b''
    while b'\r\n\r\n' not in data:
        more = sock.recv(65536)
        if not more:
            return data
        data += more
    head, body = data.split(b'\r\n\r\n', 1)
    if b'100-continue' in head.lower():
        raise ValueError('a client that waits for 100 Continue')
    length = re.search(rb'(?i)\r\ncontent-length: *(\d+)', head)
    if length:
        while len(body) < int(length[1]):
            body += sock.recv(65536)
    elif re.search(rb'(?i)\r\ntransfer-encoding: *chunked', head):
        while not body.endswith(b'0\r\n\r\n'):
            more = sock.recv(65536)
            if not more:
                break
            body += more
    return head + b'\r\n\r\n' + body


def serve(client):
    global killed
    store = socket.create_connection(('127.0.0.1', to_port))
    with client, store:
        while True:
            request = read_message(client)
            if not request:
                return
            store.sendall(request)
            answer = read_message(store)
            with lock:
                if not killed and pattern in request:
                    killed = True
                    with open(pidfile, encoding='ascii') as f:
                        os.kill(int(f.read()), signal.SIGKILL)
                    print('killed', answer.split(b'\r\n', 1)[0].decode(), flush=True)
                    return
            client.sendall(answer)


listener = socket.create_server(('127.0.0.1', 0))
print(listener.getsockname()[1], flush=True)
while True:
    connection, _ = listener.accept()
    threading.Thread(target=serve, args=(connection,), daemon=True).start()
