// Double buffering: a thread draws a frame into the back buffer and exchanges the buffers, another shows the front buffer.
//
// Safe: the buffers are exchanged under the lock under which the front is shown, so all pixels shown are of one frame.
// Broken: the shown frame's buffer is looked up under the lock, but read after it was released.
#include <assert.h>
#include <pthread.h>

#define PIXELS 3
#define FRAMES 3

static int buffers[2][PIXELS];
static int front;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *draw(void *arg)
{
    (void)arg;
    for (int frame = 1; frame <= FRAMES; frame++) {
        int *back = buffers[1 - front];
        for (int i = 0; i < PIXELS; i++)
            back[i] = frame;
        pthread_mutex_lock(&lock);
        front = 1 - front;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *show(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    const int *picture = buffers[front];
#ifdef BROKEN
    pthread_mutex_unlock(&lock);
#endif
    int first = picture[0];
    for (int i = 1; i < PIXELS; i++)
        assert(picture[i] == first);
#ifndef BROKEN
    pthread_mutex_unlock(&lock);
#endif
    return NULL;
}

int main(void)
{
    pthread_t artist, screen;
    pthread_create(&artist, NULL, draw, NULL);
    pthread_create(&screen, NULL, show, NULL);
    pthread_join(artist, NULL);
    pthread_join(screen, NULL);
    return 0;
}
