// covers: attributes
#include "observe.h"

struct [[gnu::packed]] pair {
    char c;
    int i;
};

[[noreturn]] void never(void);

[[maybe_unused]] static int chosen([[maybe_unused]] int a, int b [[maybe_unused]])
{
    [[maybe_unused]] int unused = 1;
    switch (a) {
    case 1:
        b = 3;
        [[fallthrough]];
    default:
        return b;
    }
}

int main(void)
{
    int values [[gnu::aligned(16)]][2] = {[0] = 4, [1] = 5};
    observe(sizeof(struct pair));
    observe(chosen(1, 2));
    observe(chosen(2, 2));
    if (values[1] == 5) [[likely]]
        observe(values[0]);
    observe_end();
    return 0;
}
