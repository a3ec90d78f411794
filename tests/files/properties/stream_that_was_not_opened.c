// precise: FAILED --property pointers
// precise: FAILED --property pointers -DREAD
// precise: FAILED --property pointers -DPRINTED
// precise: FAILED --property pointers -DCLOSED
// precise: FAILED --property pointers -DTWICE
// precise: SUCCESSFUL --property pointers -DSAFE
// precise: SUCCESSFUL --property pointers -DSAFE -DDESCRIPTOR
// precise: FAILED --property leaks -DKEPT
// precise: SUCCESSFUL --property leaks -DSAFE
// Whoever uses a stream has opened it; the standard ones are there, and may be closed.
#include <stdio.h>

int main(void)
{
    char line[4];
#ifdef DESCRIPTOR
    FILE *file = fdopen(1, "r");
#else
    FILE *file = fopen("x", "r");
#endif
#ifdef READ
    fgets(line, 4, file);
#elif defined PRINTED
    fprintf(file, "%d\n", 1);
#elif defined CLOSED
    if (!file)
        return 1;
    fclose(file);
    return fgetc(file);
#elif defined TWICE
    if (!file)
        return 1;
    fclose(file);
#elif defined SAFE
    if (!file) {
        fprintf(stderr, "no file\n");
        return 1;
    }
    fputs("text", stdout);
    fflush(NULL);
    fgets(line, 4, stdin);
    fclose(stdin);
#elif defined KEPT
    return 0;
#endif
    fclose(file);
    return 0;
}
