// precise: FAILED --property pointers -DBLOCK
// precise: FAILED --property pointers -DROUND
// precise: FAILED --property pointers -DCONTINUED
// precise: FAILED --property pointers -DLEFT
// precise: FAILED --property pointers -DCASE
// precise: FAILED --property pointers -DLITERAL
// precise: FAILED --property pointers -DMEMBER
// precise: FAILED --property pointers -DEXPRESSION
// precise: FAILED --property pointers -DVALUE
// precise: FAILED --property pointers -DARGUMENT
// precise: FAILED --property pointers -DUNBRACED
// precise: FAILED --property pointers -DFOR
// precise: SUCCESSFUL --property pointers -DSAFE
// A local ends where its block is left, whatever leaves it, also if the function goes on.
struct pair {
    int *first;
    int second;
};

static int read_through(int *place) { return *place; }

int __VERIFIER_nondet_int(void);

int main(void)
{
    int *kept = 0, other = 0;
#ifdef BLOCK
    {
        int inner = 1;
        kept = &inner;
    }
    return *kept;
#elif defined ROUND
    for (int round = 0; round < 2; round++) {
        int inner = round;
        if (kept)
            return *kept;
        kept = &inner;
    }
#elif defined CONTINUED
    for (int round = 0; round < 2; round++) {
        int inner[2] = {round, 0};
        if (round == 0) {
            kept = inner;
            continue;
        }
        *kept = 1;
    }
#elif defined LEFT
    while (1) {
        int inner = 1;
        kept = &inner;
        if (__VERIFIER_nondet_int())
            break;
    }
    *kept = 2;
#elif defined CASE
    switch (__VERIFIER_nondet_int()) {
    case 1: {
        int inner = 1;
        kept = &inner;
        break;
    }
    default:
        kept = &other;
    }
    return *kept;
#elif defined LITERAL
    {
        kept = (int[]){1, 2};
    }
    return kept[1];
#elif defined MEMBER
    struct pair pair = {0, 0};
    {
        int inner = 3;
        pair.first = &inner;
    }
    return *pair.first;
#elif defined EXPRESSION
    kept = ({ int inner = 4; &inner; });
    return *kept;
#elif defined VALUE
    return *({ int inner = 5; int *own = &inner; own; });
#elif defined ARGUMENT
    return read_through(({ int inner = 6; &inner; }));
#elif defined UNBRACED
    if (__VERIFIER_nondet_int())
        kept = &(int){7};
    else
        kept = &(int){8};
    return *kept;
#elif defined FOR
    for (int index = 0; index < 2; index++)
        kept = &index;
    return *kept;
#elif defined SAFE
    int sum = 0;
    for (int round = 0; round < 3; round++) {
        int inner = round, *own = &inner;
        int *again = own;
        kept = &inner;
        sum += *own + *kept;
        {
            int innermost = *again;
            int **two = &own;
            sum += innermost + **two;
        }
        if (sum == 4)
            continue;
        kept = &other;
    }
    kept = &other;
    sum += ({ struct pair pair = {kept, 5}; pair; }).second;
    if (sum > 3)
        sum += read_through(&(int){1});
    sum += __VERIFIER_nondet_int() ? *(int[]){2, 3} : ({ int inner = sum; read_through(&inner); });
    return sum + *kept;
#endif
    return 0;
}
