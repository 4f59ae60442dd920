// Which sources this library was compiled from.
#include "abi.h"

THRESHER_API uint32_t thresher_abi() { return THRESHER_ABI; }
