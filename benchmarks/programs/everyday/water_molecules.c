// Two hydrogen atoms and an oxygen atom make a molecule; there are four threads of hydrogen and two of oxygen.
//
// Safe: an oxygen thread takes two hydrogens that have come, under the lock, so the count of hydrogens is never negative.
// Broken: the oxygen thread waits until one hydrogen has come, and takes two.
#include <assert.h>
#include <pthread.h>

#define OXYGENS 2

#ifdef BROKEN
#define NEEDED 1
#else
#define NEEDED 2
#endif

static int hydrogens, molecules;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t came = PTHREAD_COND_INITIALIZER;

static void *hydrogen(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    hydrogens++;
    pthread_cond_broadcast(&came);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *oxygen(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    while (hydrogens < NEEDED)
        pthread_cond_wait(&came, &lock);
    hydrogens -= 2;
    assert(hydrogens >= 0);
    molecules++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t h[2 * OXYGENS], o[OXYGENS];
    for (int i = 0; i < OXYGENS; i++)
        pthread_create(&o[i], NULL, oxygen, NULL);
    for (int i = 0; i < 2 * OXYGENS; i++)
        pthread_create(&h[i], NULL, hydrogen, NULL);
    for (int i = 0; i < OXYGENS; i++)
        pthread_join(o[i], NULL);
    for (int i = 0; i < 2 * OXYGENS; i++)
        pthread_join(h[i], NULL);
    assert(molecules == OXYGENS && hydrogens == 0);
    return 0;
}
