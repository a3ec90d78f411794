// precise: FAILED
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[2], "-v"))
        assert(atoi(argv[1]) != 42);
    return 0;
}
