// SPDX-License-Identifier: GPL-2.0
/* Functions that are inlined into one another: the lines are tested by number. */
volatile int sink;

namespace space {

static inline __attribute__((always_inline)) void innermost(int x)
{
	sink = x;				/* line 9 */
	asm volatile(".globl place\nplace:\n\tnop");	/* line 10 */
}

struct thing {
	inline __attribute__((always_inline)) void middle(int x)
	{
		innermost(x + 1);		/* line 16 */
	}
	void outer(int x);
};

void __attribute__((noinline)) thing::outer(int x)
{
	middle(x * 2);				/* line 23 */
	sink = x;
}

} // namespace space

int main(int argc, char **)
{
	space::thing t;

	t.outer(argc);
	return 0;
}
