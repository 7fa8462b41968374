"""A wire between two interfaces that delays and loses frames, for a kernel without netem: wire.py INTERFACE INTERFACE MILLISECONDS LOSS"""

import heapq
import random
import select
import socket
import sys
import time


def opened(interface):
    every_protocol = 3
    raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(every_protocol))
    raw.bind((interface, 0))
    raw.setblocking(False)
    return raw


ends = [opened(interface) for interface in sys.argv[1:3]]
delay, loss = float(sys.argv[3]) / 1000, float(sys.argv[4])
waiting, count = [], 0
while True:
    pause = max(0, waiting[0][0] - time.monotonic()) if waiting else None
    for end in select.select(ends, [], [], pause)[0]:
        other = ends[1 - ends.index(end)]
        while True:
            try:
                frame, address = end.recvfrom(65536)
            except BlockingIOError:
                break
            if address[2] == socket.PACKET_OUTGOING or random.random() < loss:
                continue
            # Two frames of the same moment keep their order.
            count += 1
            heapq.heappush(waiting, (time.monotonic() + delay, count, other, frame))
    while waiting and waiting[0][0] <= time.monotonic():
        _, _, end, frame = heapq.heappop(waiting)
        try:
            end.send(frame)
        except OSError as error:
            print(error, len(frame), file=sys.stderr)
