// SPDX-License-Identifier: GPL-2.0
/* A 16550 as its driver in Linux uses it: what is sent is gone at once. */
#include "linux_vmm.h"

#include <errno.h>
#include <linux/serial_reg.h>
#include <pthread.h>
#include <unistd.h>

#define RECEIVED 64
#define UART_FIFO_ENABLED 0xc0 /* in IIR, of a 16550A */

static struct {
	pthread_mutex_t lock;
	pthread_cond_t room;
	int out;
	void (*set_irq)(bool level);
	bool level;
	bool sent; /* to be told by an interrupt */
	uint8_t ier, lcr, mcr, scr, dll, dlm;
	bool fifo;
	uint8_t received[RECEIVED];
	unsigned int first, count;
} uart = { .lock = PTHREAD_MUTEX_INITIALIZER, .room = PTHREAD_COND_INITIALIZER };

void serial_init(int out, void (*set_irq)(bool level))
{
	uart.out = out;
	uart.set_irq = set_irq;
}

static uint8_t cause(void)
{
	if ((uart.ier & UART_IER_RDI) && uart.count)
		return UART_IIR_RDI;
	if ((uart.ier & UART_IER_THRI) && uart.sent)
		return UART_IIR_THRI;
	return UART_IIR_NO_INT;
}

static void update_irq(void)
{
	bool level = cause() != UART_IIR_NO_INT;

	if (level == uart.level)
		return;
	uart.level = level;
	uart.set_irq(level);
}

static void send_byte(uint8_t byte)
{
	while (write(uart.out, &byte, 1) < 0 && errno == EINTR)
		;
	uart.sent = true;
}

static void write_locked(unsigned int reg, uint8_t value)
{
	bool latch = uart.lcr & UART_LCR_DLAB;

	switch (reg) {
	case UART_TX:
		if (latch)
			uart.dll = value;
		else
			send_byte(value);
		break;
	case UART_IER:
		if (latch) {
			uart.dlm = value;
			break;
		}
		/* that it is empty is told again */
		if ((value & ~uart.ier) & UART_IER_THRI)
			uart.sent = true;
		uart.ier = value & 0xf;
		break;
	case UART_FCR:
		uart.fifo = value & UART_FCR_ENABLE_FIFO;
		if (value & UART_FCR_CLEAR_RCVR)
			uart.count = 0;
		break;
	case UART_LCR:
		uart.lcr = value;
		break;
	case UART_MCR:
		uart.mcr = value;
		break;
	case UART_SCR:
		uart.scr = value;
		break;
	}
}

void serial_write(unsigned int reg, uint8_t value)
{
	pthread_mutex_lock(&uart.lock);
	write_locked(reg, value);
	update_irq();
	pthread_mutex_unlock(&uart.lock);
}

static uint8_t take_byte(void)
{
	uint8_t byte;

	if (!uart.count)
		return 0;
	byte = uart.received[uart.first];
	uart.first = (uart.first + 1) % RECEIVED;
	uart.count--;
	pthread_cond_signal(&uart.room);
	return byte;
}

static uint8_t identify(void)
{
	uint8_t why = cause();

	if (why == UART_IIR_THRI)
		uart.sent = false;
	return why | (uart.fifo ? UART_FIFO_ENABLED : 0);
}

/* A terminal is always there; in a loop its lines are those that the guest sets. */
static uint8_t modem_status(void)
{
	uint8_t status = 0;

	if (!(uart.mcr & UART_MCR_LOOP))
		return UART_MSR_DCD | UART_MSR_DSR | UART_MSR_CTS;
	if (uart.mcr & UART_MCR_RTS)
		status |= UART_MSR_CTS;
	if (uart.mcr & UART_MCR_DTR)
		status |= UART_MSR_DSR;
	if (uart.mcr & UART_MCR_OUT1)
		status |= UART_MSR_RI;
	if (uart.mcr & UART_MCR_OUT2)
		status |= UART_MSR_DCD;
	return status;
}

static uint8_t read_locked(unsigned int reg)
{
	bool latch = uart.lcr & UART_LCR_DLAB;

	switch (reg) {
	case UART_RX:
		return latch ? uart.dll : take_byte();
	case UART_IER:
		return latch ? uart.dlm : uart.ier;
	case UART_IIR:
		return identify();
	case UART_LCR:
		return uart.lcr;
	case UART_MCR:
		return uart.mcr;
	case UART_LSR:
		return UART_LSR_TEMT | UART_LSR_THRE | (uart.count ? UART_LSR_DR : 0);
	case UART_MSR:
		return modem_status();
	default:
		return uart.scr;
	}
}

uint8_t serial_read(unsigned int reg)
{
	uint8_t value;

	pthread_mutex_lock(&uart.lock);
	value = read_locked(reg);
	update_irq();
	pthread_mutex_unlock(&uart.lock);
	return value;
}

void serial_receive(uint8_t byte)
{
	pthread_mutex_lock(&uart.lock);
	while (uart.count == RECEIVED)
		pthread_cond_wait(&uart.room, &uart.lock);
	uart.received[(uart.first + uart.count++) % RECEIVED] = byte;
	update_irq();
	pthread_mutex_unlock(&uart.lock);
}
