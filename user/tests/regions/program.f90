! SPDX-License-Identifier: LGPL-2.1-only OR MIT
program regions
  use pmcgrp_regions
  implicit none
  type(c_ptr) :: handle
  character(len=20) :: name
  integer :: i

  handle = pmcgrp_region_find("by handle")
  name = "by name"
  do i = 1, 7
    call pmcgrp_region_begin(name)
    call pmcgrp_region_enter(handle)
    call pmcgrp_region_leave(handle)
    call pmcgrp_region_end("by name")
  end do
  if (pmcgrp_regions_start("") == 0) stop 1
end program
