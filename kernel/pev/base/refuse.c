// SPDX-License-Identifier: GPL-2.0
/* Owns the wording frame of refusals. */
#include <linux/kernel.h>
#include <linux/pev_refuse.h>
#include <linux/sprintf.h>
#include <linux/string.h>
#include <linux/uaccess.h>

int pev_refuse(struct pev_refuse *r, int error, u32 field, const char *fmt, ...)
{
	va_list args;

	r->error = error;
	r->field = field;
	r->min = 0;
	r->max = 0;
	va_start(args, fmt);
	vscnprintf(r->text, sizeof(r->text), fmt, args);
	va_end(args);
	return -error;
}

int pev_refuse_range(struct pev_refuse *r, int error, u32 field, u64 min, u64 max,
		     const char *fmt, ...)
{
	va_list args;
	int len;

	r->error = error;
	r->field = field;
	r->min = min;
	r->max = max;
	va_start(args, fmt);
	len = vscnprintf(r->text, sizeof(r->text), fmt, args);
	va_end(args);
	scnprintf(r->text + len, sizeof(r->text) - len, " (allowed: %llu to %llu)",
		  min, max);
	return -error;
}

int pev_refuse_report(const struct pev_refuse *r, int error, u64 addr, u32 size)
{
	struct pev_refusal __user *to = u64_to_user_ptr(addr);
	struct pev_refusal head = {
		.error = -error,
		.field = r->error ? r->field : PEV_NO_FIELD,
		.min = r->min,
		.max = r->max,
	};
	char text[PEV_REFUSE_TEXT];
	size_t len;

	if (!error || !addr || size < sizeof(head))
		return error;
	if (r->error)
		strscpy(text, r->text);
	else
		scnprintf(text, sizeof(text), "refused with %pe", ERR_PTR(error));
	len = min_t(size_t, strlen(text) + 1, size - sizeof(head));
	if (len)
		text[len - 1] = '\0';
	if (copy_to_user(to, &head, sizeof(head)) || copy_to_user(to->text, text, len))
		return -EFAULT;
	return error;
}
