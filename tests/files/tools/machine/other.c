long other = 1;
