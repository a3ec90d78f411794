// covers: enumerations
#include "observe.h"

enum state { START, WORD, NUMBER };

int main(void)
{
    const char *in = "ab1b2";
    enum state s = START;
    int numbers = 0;
    for (; *in; in++)
        switch (s) {
        case START:
        case WORD:
            s = *in >= '0' && *in <= '9' ? (numbers++, NUMBER) : WORD;
            break;
        case NUMBER:
            s = WORD;
        }
    observe(numbers);
    observe(s);
    observe_end();
    return 0;
}
