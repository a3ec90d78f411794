/* Comes second: its `sensor` is not taken, and its errors are those of any file. */
int sensor(int channel)
{
    return 100;
}
