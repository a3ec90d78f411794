// covers: operators
#include "observe.h"

int main(void)
{
    unsigned crc = ~0u;
    const unsigned char data[] = { 's', 'a', 'p', 'a' };
    for (int i = 0; i < 4; i++) {
        crc ^= data[i];
        for (int k = 0; k < 8; k++)
            crc = crc & 1 ? (crc >> 1) ^ 0xedb88320u : crc >> 1;
    }
    observe(~crc);
    observe_end();
    return 0;
}
