// SPDX-License-Identifier: GPL-2.0
/* Owns the probes of trace events of the network, generated from Linux's headers. */
#include <linux/blkdev.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <net/ipv6.h>
#include <net/neighbour.h>
#include <net/sock.h>
#define CREATE_TRACE_POINTS
#include <trace/events/devlink.h>
#include <trace/events/fib.h>
#include <trace/events/napi.h>
#include <trace/events/neigh.h>
#include <trace/events/net.h>
#include <trace/events/netlink.h>
#include <trace/events/qdisc.h>
#include <trace/events/qrtr.h>
#include <trace/events/sctp.h>
#include <trace/events/skb.h>
#include <trace/events/sock.h>
#include <trace/events/tcp.h>
#include <trace/events/vsock_virtio_transport_common.h>
#include <trace/events/xdp.h>
