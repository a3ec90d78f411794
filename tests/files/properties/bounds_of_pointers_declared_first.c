// precise: SUCCESSFUL --property bounds
// precise: FAILED --property bounds -DSTRAIGHT
// precise: FAILED --property bounds -DLOOP
// precise: FAILED --property bounds -DCHOICE
// precise: FAILED --property bounds -DPARAMETER
// precise: FAILED --property bounds -DROUND
// A pointer that is declared before it is given a value has the array that it is given then.
int __VERIFIER_nondet_int(void);
struct record {
    char a[4];
    char b[8];
    int last;
} s;

static void write(char *from) {
    char *to;
    to = from;
#ifdef PARAMETER
    to[4] = 0;
#else
    to[3] = 0;
#endif
}

int main(void) {
    char *p, *end;
    int i;
    p = s.a;
#ifdef STRAIGHT
    p[4] = 0;
#else
    p[3] = 0;
#endif
#ifdef LOOP
    end = s.a + 5;
#else
    end = s.a + 4;
#endif
    for (p = s.a; p < end; p++)
        *p = 0;
    if (__VERIFIER_nondet_int())
        p = s.a;
    else
        p = s.b;
#ifdef CHOICE
    p[4] = 0;
#else
    p[3] = 0;
#endif
    write(s.a);
    for (i = 0; i < 2; i++) {
        char *q;
        if (i == 0)
            q = s.b;
#ifdef ROUND
        else
            q = s.a;
#else
        else
            q = (char *)&s;
#endif
        q[7] = 0;
    }
    return 0;
}
