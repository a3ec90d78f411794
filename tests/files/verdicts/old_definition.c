// precise: FAILED --threads 1
// The parameters of an old definition are passed as promoted and converted on entry, whoever calls
// and whatever for.
struct pair {
    int a, b;
};

int sum(b, c, p) _Bool b; char c; struct pair p;
{
    p.a += 1000;
    return b * 100 + c * 10 + p.b;
}

int failing(b) _Bool b;
{ return b; }

int main(void) {
    struct pair pair = {1, 7};
    int (*function)() = sum;
    int (**pointer)() = &function;
    __CPROVER_assert(sum(256, 256 + 3, pair) == 137, "called by name");
    __CPROVER_assert(function(256, 256 + 3, pair) == 137, "called through a pointer");
    __CPROVER_assert((**pointer)(256u, (char)3, pair) == 137, "through a pointer to one");
    __CPROVER_assert(((int (*)())sum)(256u, 3, pair) == 137, "of another type");
    __CPROVER_assert(pair.a == 1, "structures are copied");
    __CPROVER_assert(failing(256) == 0, "it is true");
}
