// SPDX-License-Identifier: GPL-2.0
/* The example of Documentation/admin-guide/requests.rst, for a test of what is said there */
#include "../../../Documentation/examples/orders/orders.c"
