// covers: arrays
#include "observe.h"

struct message { int n; char data[]; };

int main(void)
{
    observe(sizeof(struct message));
    observe(sizeof(struct message *));
    observe_end();
    return 0;
}
