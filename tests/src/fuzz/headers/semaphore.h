typedef struct { int cell; } sem_t;
