// One thread encrypts a message by shifting its letters, the next decrypts it; main compares it with the original.
//
// Safe: shifting by 3 and by 26 - 3 modulo 26 is shifting by 26, which changes nothing.
// Broken: the decrypting thread shifts by -3, for which C's remainder is negative where the letter was X, Y or Z.
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char message[] = "EXTRA AT SIX";
static int key = 3;

static void shift(char *text, int by)
{
    for (int i = 0; text[i] != '\0'; i++)
        if (text[i] >= 'A' && text[i] <= 'Z')
            text[i] = (char)('A' + (text[i] - 'A' + by) % 26);
}

static void *encrypt(void *arg)
{
    shift(arg, key);
    return NULL;
}

static void *decrypt(void *arg)
{
#ifdef BROKEN
    shift(arg, -key);
#else
    shift(arg, 26 - key);
#endif
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, encrypt, message);
    pthread_join(thread, NULL);
    assert(strcmp(message, "HAWUD DW VLA") == 0);
    pthread_create(&thread, NULL, decrypt, message);
    pthread_join(thread, NULL);
    assert(strcmp(message, "EXTRA AT SIX") == 0);
    return 0;
}
