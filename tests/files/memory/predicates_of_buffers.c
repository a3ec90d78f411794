// Predicates name what waits: in variables, or as versions of variables where control knows which stores wait.
// RUN: printf 'first::x_cnt == 0\nfirst::x_cnt == 1\nfirst::x_1 == 1\n' > %t.txt; sapa check --passes 'default,pso{layout=variables,k=1}' --predicates %t.txt %s 2>&1 || echo "exit $?"
// RUN: printf 'first::cnt == 0\nfirst::lhs_1 == 1\nfirst::rhs_1 == 1\n' > %t.txt; sapa check --passes 'default,tso{layout=variables,k=1}' --predicates %t.txt %s 2>&1 || echo "exit $?"
// RUN: printf 'first::x_2 == 1\n' > %t.txt; sapa check --passes 'default,pso{layout=variables,k=1}' --predicates %t.txt %s 2>&1 | sed 's/^[^:]*[.]txt/FILE.txt/'
#include <pthread.h>
#include <assert.h>
int x, y;
int __unbuffered_r0, __unbuffered_r1;

void *first(void *arg)
{
    x = 1;
    __sync_synchronize();
    __unbuffered_r0 = y;
    return 0;
}

void *second(void *arg)
{
    y = 1;
    __sync_synchronize();
    __unbuffered_r1 = x;
    return 0;
}

int main(void)
{
    pthread_t t0, t1;
    pthread_create(&t0, 0, first, 0);
    pthread_create(&t1, 0, second, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    assert(__unbuffered_r0 || __unbuffered_r1);
}
