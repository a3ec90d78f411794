// From a proof under sequential consistency to one with store buffers, as a pipe of tools: predicates and cubes travel in the
// module. Predicate extrapolation searches for cubes again, cube extrapolation tries those of the proof.
// RUN: printf 'x == 0\nx == 1\ny == 0\ny == 2\nr0 == 0\nr0 == 2\nr1 == 0\nr1 == 1\n__unbuffered_sum == 2\n' > %t.txt; sapa-cc %s | sapa-opt -p default | sapa-abstract --predicates %t.txt --record-cubes -o %t.gir; grep ^cube %t.gir
// RUN: sapa-opt -p 'tso,extrapolate-predicates' %t.gir | sapa-abstract | sapa-mc --threads 2 | tail -1
// RUN: sapa-opt -p 'tso,extrapolate-predicates,extrapolate-cubes' %t.gir | sapa-abstract --cubes recorded | sapa-mc --threads 2 | tail -1
// RUN: sapa-opt -p 'pso{layout=variables,k=1},extrapolate-predicates,extrapolate-cubes' %t.gir | sapa-opt --binary - | sapa-abstract --cubes recorded | sapa-mc --threads 2 | tail -1
// RUN: sapa-opt -p 'pso{layout=variables,k=1},extrapolate-predicates,extrapolate-cubes,drop-buffer-cubes' %t.gir | sapa-abstract --cubes recorded | sapa-mc --threads 2 | tail -1
// Without cubes single predicates are left, which is coarser.
// RUN: grep -v ^cube %t.gir | sapa-abstract --cubes recorded | sapa-mc --threads 2 | tail -1
// RUN: sapa-abstract --cubes recorded %t.gir | sapa-mc --threads 2 | tail -1
#include <pthread.h>
#include <assert.h>
int x, y;
int __unbuffered_sum;

void *first(void *arg)
{
    x = 1;
    __sync_synchronize();
    y = 2;
    return 0;
}

void *second(void *arg)
{
    int r0 = y, r1 = x;
    __unbuffered_sum = r0 + r1;
    assert(__unbuffered_sum != 2);
    return 0;
}

int main(void)
{
    pthread_t t0, t1;
    pthread_create(&t0, 0, first, 0);
    pthread_create(&t1, 0, second, 0);
}
