#include "included.h"
int y;
int main(void) { return WORD; }
