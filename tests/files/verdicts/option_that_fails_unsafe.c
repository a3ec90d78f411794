// precise: FAILED
#include <assert.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int option;
    while ((option = getopt(argc, argv, "vn:")) != -1)
        if (option == 'n')
            assert(optarg[0] != '7');
    return 0;
}
