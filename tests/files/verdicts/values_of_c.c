// precise: SUCCESSFUL --threads 0
// Values, conversions and control flow of one thread.
int initialised = 3, target, with_enumerators, expected_is_found;
enum { LARGE = 0x80000000u };
struct pair { char small; int large; } pair;
union number { int whole; char byte; } numbers[2] = {1, 2};
extern int __VERIFIER_nondet_int(void);

static int smaller(int n) { return n > 2 ? n - 1 : n; }

int main(void) {
    __CPROVER_assert(initialised * 2 + 1 == 7, "an initialiser");

    unsigned char byte = 255;
    byte++;
    __CPROVER_assert(byte == 0, "unsigned values wrap");
    signed char signed_byte = 127;
    signed_byte++;
    __CPROVER_assert(signed_byte < 0, "a conversion to a narrow signed type");

    int array[3] = {1, 2};
    __CPROVER_assert(array[0] + array[1] + array[2] == 3, "the rest is zero");
    pair.large = 5;
    pair.small = 1;
    __CPROVER_assert(pair.large == 5, "members do not overlap");
    __CPROVER_assert(numbers[1].whole == 2, "the first member of a union is initialised");

    __CPROVER_assert(smaller(smaller(4)) == 2, "calls");
    int *pointer = &target;
    *pointer = 4;
    __CPROVER_assert(target == 4, "a store through a pointer");

    int x = __VERIFIER_nondet_int(), r = 0;
    if (x > 3) {
        int less = x - 1;
        __CPROVER_assert(less > 2, "a branch");
    }
    switch (x) {
    case 1: r = 1;
    case 2: r += 2; break;
    default: r = 9;
    }
    __CPROVER_assert(x != 1 || r == 3, "a case falls through");
    __CPROVER_assert(x != 2 || r == 2, "a case");
    int i = 0;
    while (i < 3)
        i++;
    __CPROVER_assert(i == 3, "a loop");

    __CPROVER_assert(!((1 ? -1 : 0u) < 0), "the type of a choice does not depend on the arm");
    __CPROVER_assert(LARGE > 0, "the type of an enumerator holds its value");
    int expected = 0;
    __CPROVER_assert(__atomic_compare_exchange_n(&expected_is_found, &expected, 1, 0, 5, 5),
                     "a strong exchange does not fail by itself");
}
