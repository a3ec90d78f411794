// covers: program-arguments
#include "observe.h"

int main(int argc, char **argv)
{
    int count = 0;
    for (int i = 1; i < argc && i < 3; i++)
        count += argv[i] != 0;
    observe(argv[argc] == 0);
    observe(count == argc - 1 || argc != 1);
    observe_end();
    return 0;
}
