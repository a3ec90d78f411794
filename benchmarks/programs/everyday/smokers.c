// Cigarette smokers: an agent puts out two of three ingredients, and the smoker who has the third takes them.
//
// Safe: the agent waits until the table is empty; the missing ingredient names one smoker, so three rounds make three cigarettes.
// Broken: a smoker takes what is there when its own ingredient is on the table as well.
#include <assert.h>
#include <pthread.h>

#define SMOKERS 3
#define NOTHING (-1)

static int missing = NOTHING;
static int smoked[SMOKERS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *smoke(void *arg)
{
    int mine = *(int *)arg;
    pthread_mutex_lock(&lock);
#ifdef BROKEN
    while (missing == NOTHING)
#else
    while (missing != mine)
#endif
        pthread_cond_wait(&changed, &lock);
    assert(missing == mine);
    missing = NOTHING;
    smoked[mine]++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t smokers[SMOKERS];
    int ingredients[SMOKERS] = { 0, 1, 2 };
    for (int i = 0; i < SMOKERS; i++)
        pthread_create(&smokers[i], NULL, smoke, &ingredients[i]);
    for (int round = 0; round < SMOKERS; round++) {
        pthread_mutex_lock(&lock);
        while (missing != NOTHING)
            pthread_cond_wait(&changed, &lock);
        missing = round;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    for (int i = 0; i < SMOKERS; i++)
        pthread_join(smokers[i], NULL);
    assert(smoked[0] + smoked[1] + smoked[2] == SMOKERS);
    return 0;
}
