// precise: SUCCESSFUL --property bounds
// precise: FAILED --property bounds -DEITHER
// precise: FAILED --property bounds -DSWITCH
// precise: FAILED --property bounds -DSEARCH
// precise: FAILED --property bounds -DLIBRARY
// precise: FAILED --property bounds -DMEMBER
// precise: FAILED --property bounds -DGLOBAL
// precise: FAILED --property bounds -DELEMENT
// precise: FAILED --property bounds -DTHROUGH
// What functions return has the array that it points into: that of an argument, also where the end of the function is not
// reached, or one that begins there.
#include <string.h>
int __VERIFIER_nondet_int(void);
struct record {
    int values[4];
    int others[2];
    int last;
} s, table[2];
struct {
    char text[4];
    char behind[4];
} t = {"ab", "c"};
union {
    char bytes[4];
    int numbers[4];
} u;

static int *either(int *p, int one) {
    if (one)
        return p;
    else
        return p + 1;
}

static int *by_case(int *p, int one) {
    switch (one) {
    case 0:
        return p;
    case 1:
        return p + 1;
    default:
        return 0;
    }
}

static int *search(int *p) {
    for (;;) {
        if (!*p)
            return p;
        p++;
    }
}

static int *member(struct record *r) { return r->values; }
static int *global(void) { return &s.others[0]; }
static int *element(int i) { return table[i].others; }

static int *through(struct record *r) {
    int *values = member(r);
    return values;
}

static int *of_one(struct record *r, int one) { return one ? r->values : r->others; }
static char *of_union(void) { return u.bytes; }

int main(void) {
    int one = __VERIFIER_nondet_int() != 0;
#ifdef EITHER
    either(s.values, one)[3] = 1;
#else
    either(s.values, one)[2] = 1;
#endif
#ifdef SWITCH
    by_case(s.values, one)[3] = 1;
#else
    by_case(s.values, one)[2] = 1;
#endif
    s.values[0] = 0;
#ifdef SEARCH
    search(s.values)[4] = 1;
#else
    search(s.values)[3] = 1;
#endif
    char *found = strchr(t.text, 'b');
#ifdef LIBRARY
    found[3] = 'x';
#else
    found[2] = 'x';
#endif
#ifdef MEMBER
    member(&s)[4] = 1;
#else
    member(&s)[3] = 1;
#endif
#ifdef GLOBAL
    global()[2] = 1;
#else
    global()[1] = 1;
#endif
#ifdef ELEMENT
    memset(element(one), 0, 3 * sizeof(int));
#else
    memset(element(one), 0, 2 * sizeof(int));
#endif
#ifdef THROUGH
    through(&s)[4] = 1;
#else
    through(&s)[3] = 1;
#endif
    of_one(&s, one)[1] = 1;
    of_union()[15] = 1;
    return 0;
}
