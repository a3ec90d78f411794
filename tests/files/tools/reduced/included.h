#define WORD 1
