// precise: SUCCESSFUL
// precise: FAILED -DBROKEN
// Two variables that a loop moves together: no predicate per round is needed, however many rounds there are.
#include <assert.h>
#include <pthread.h>

int done;

void *other(void *unused)
{
    done = 1;
    return unused;
}

int main(void)
{
    int up = 0, down = 1000000;
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    while (up < 1000000) {
        up++;
        down--;
#ifdef BROKEN
        assert(up + down == 1000000 && down > 999990);
#endif
    }
    assert(up + down == 1000000 && down == 0);
    return 0;
}
