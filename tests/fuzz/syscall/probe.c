// SPDX-License-Identifier: GPL-2.0
/*
 * Probes: in the kernel, and in a function of this program that does nothing. Offsets in
 * this program are never those of other instructions: it would break.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include "../../selftests/pev_place.h"
#include "fuzz.h"

static const char usual[] = "do_filp_open\0do_nanosleep\0no_function\0number\0text\0other\0_ f\0"
			    "place\0text_len\0";
static const uint32_t names[] = { 0, 13, 26 };
enum { NUMBER = 38, TEXT = 45, OTHER = 50 };
/* Those that are not good for a field, and one behind all. */
static const uint32_t odd[] = { NUMBER, 56, 60, 66, 75, 76, 1000 };

static __thread struct pev_probe probe;
static __thread struct pev_probe_place places[4];
static __thread struct pev_probe_field fields[4];
static __thread char strings[sizeof(usual)];
static __thread int32_t results[4];

static __attribute__((noinline)) void probed(long number, const char *text)
{
	__asm__ volatile("" : : "r"(number), "r"(text) : "memory");
}

static void (*volatile probed_fn)(long number, const char *text) = probed;

/* Ends by calling itself: its probe is reached @depth times more, and it returns once. */
void probed_again(unsigned long depth);
/* clang-format off */
#ifdef __x86_64__
__asm__("	.pushsection .text\n"
	"	.type	probed_again, @function\n"
	"probed_again:\n"
	"	nop\n"
	"	test	%rdi, %rdi\n"
	"	jz	1f\n"
	"	dec	%rdi\n"
	"	jmp	probed_again\n"
	"1:	ret\n"
	"	.size	probed_again, . - probed_again\n"
	"	.popsection\n");
#else
__asm__("	.pushsection .text\n"
	"	.type	probed_again, @function\n"
	"probed_again:\n"
	"	nop\n"
	"	cmpdi	3, 0\n"
	"	beqlr\n"
	"	addi	3, 3, -1\n"
	"	b	probed_again\n"
	"	.size	probed_again, . - probed_again\n"
	"	.popsection\n");
#endif
/* clang-format on */

/* This program, and where it has probed() and probed_again(). */
static int program = -1;
/* A file that may not be read from. */
static int not_read = -1;
static uint64_t place, place_again;

void probe_init(void)
{
	place = pev_place_of(probed);
	place_again = pev_place_of(probed_again);
	program = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	not_read = open("/tmp", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
}

static bool in_file(void)
{
	return probe.kind == PEV_PROBE_USER || probe.kind == PEV_PROBE_USER_RETURN;
}

static void one_member(struct rng *r)
{
	switch (below(r, 6)) {
	case 0:
		mutate(r, &probe, sizeof(probe));
		break;
	case 1:
		mutate(r, places, in_file() ? sizeof(uint64_t) : sizeof(*places));
		break;
	case 2:
		mutate_text(r, strings, sizeof(strings));
		break;
	case 3:
		fields[below(r, 3)].name = odd[below(r, ARRAY_SIZE(odd))];
		break;
	case 4:
		probe.fd = one_in(r, 2) ? not_read : (int)below(r, 64);
		break;
	default:
		mutate(r, &fields[below(r, 3)], sizeof(*fields));
	}
}

static void make_places(struct rng *r)
{
	bool file = in_file(), once = probe.kind == PEV_PROBE_FUNCTION;

	memset(places, 0, sizeof(places));
	/* a function may be named once, and there are two */
	probe.nr_places = 1 + below(r, once && !one_in(r, 8) ? 2 : ARRAY_SIZE(places));
	probe.fd = file ? program : 0;
	for (unsigned int i = 0; i < probe.nr_places; i++) {
		places[i].name = names[once ? i % 3 : below(r, one_in(r, 8) ? 3 : 2)];
		if (file)
			places[i].offset = one_in(r, 16) ? strange(r) | 1ULL << 40 :
					   one_in(r, 2)	 ? place_again :
							   place;
		else if (one_in(r, 8))
			places[i].offset = below(r, 64);
	}
	if (one_in(r, 4)) {
		probe.flags = PEV_PROBE_F_SKIP;
		probe.results = one_in(r, 16) ? strange(r) : (uintptr_t)results;
	}
}

static void make_fields(struct rng *r, struct layout *layout)
{
	bool back = probe.kind & 1;
	unsigned int loads = below(r, PEV_MAX_PROBE_LOADS);

	memset(fields, 0, sizeof(fields));
	probe.nr_fields = below(r, 4);
	fields[0] = (struct pev_probe_field){
		.name = NUMBER, .type = PEV_PROBE_X64,
		.from = back ? PEV_PROBE_RESULT : PEV_PROBE_ARGUMENT,
	};
	if (back && one_in(r, 2))
		fields[0].from = PEV_PROBE_DURATION;
	fields[1] = (struct pev_probe_field){
		.name = TEXT, .type = PEV_PROBE_TEXT, .number = below(r, 8),
		.from = one_in(r, 2) ? PEV_PROBE_STACK : PEV_PROBE_REGISTER,
		.nr_loads = 1 + loads,
	};
	/* beyond the end of the stack, mostly */
	if (fields[1].from == PEV_PROBE_STACK && one_in(r, 4))
		fields[1].number = 4095;
	fields[2] = (struct pev_probe_field){
		.name = OTHER, .type = PEV_PROBE_U16, .from = PEV_PROBE_REGISTER,
		.number = below(r, 8), .nr_loads = loads,
	};
	if (!loads && one_in(r, 2)) {
		fields[2].from = PEV_PROBE_CONSTANT;
		fields[2].number = one_in(r, 8);
		fields[2].offsets[0] = strange(r);
	}
	for (unsigned int i = 0; i < loads; i++)
		fields[1].offsets[i] = fields[2].offsets[i] = one_in(r, 4) ? strange(r) : 8 * i;
	if (!in_file() && one_in(r, 4))
		fields[1].flags = fields[2].flags = PEV_PROBE_USER_MEMORY;
	layout->fixed = probe.nr_fields == 0 ? 4 : probe.nr_fields == 1 ? 16 :
			probe.nr_fields == 2 ? 20 : 22;
	layout->nr_locs = probe.nr_fields > 1;
	layout->locs[0] = 16;
}

void attr_probe(struct rng *r, struct pev_attr *attr, struct layout *layout)
{
	attr->type = PEV_TYPE_PROBE;
	attr->name = (uintptr_t)"probe";
	attr->config = (uintptr_t)&probe;
	probe = (struct pev_probe){
		.size = sizeof(probe), .kind = below(r, PEV_PROBE_MAX),
		.places = (uintptr_t)places, .fields = (uintptr_t)fields,
		.strings = (uintptr_t)strings, .strings_size = sizeof(strings),
	};
	if (one_in(r, probe.kind == PEV_PROBE_KERNEL_RETURN ? 3 : 24))
		probe.max_active = 1 + below(r, 20);
	memcpy(strings, usual, sizeof(strings));
	make_places(r);
	make_fields(r, layout);
	if (one_in(r, 4)) {
		one_member(r);
		layout->known = false;
	}
	if (one_in(r, 5))
		attr->filter = (uintptr_t)(one_in(r, 2) ? "place < 2 && faults == 0" :
							  "number > 100 || text ~ \"*a*\"");
}

void probe_plain(uint32_t kind, struct pev_attr *attr)
{
	memcpy(strings, usual, sizeof(strings));
	probe = (struct pev_probe){
		.size = sizeof(probe),
		.kind = kind,
		.nr_places = 1,
		.places = (uintptr_t)places,
		.fields = (uintptr_t)fields,
		.strings = (uintptr_t)strings,
		.strings_size = sizeof(strings),
	};
	probe.fd = in_file() ? program : 0;
	places[0] = (struct pev_probe_place){ .name = names[0], .offset = in_file() ? place : 0 };
	attr->config = (uintptr_t)&probe;
}

void probe_call(struct rng *r)
{
	for (unsigned int i = below(r, 16); i; i--)
		probed_fn((long)strange(r), one_in(r, 4) ? (const char *)strange(r) : "a text");
	/* more often than is remembered of one thread, sometimes */
	for (unsigned int i = below(r, 4); i; i--)
		probed_again(below(r, 24));
}
