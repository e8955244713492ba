! SPDX-License-Identifier: LGPL-2.1-only OR MIT
!
! Regions of a program, for Fortran 2008. Compile this file with the program:
!
!   gfortran $(pkg-config --variable=includedir libpmcgrp)/pmcgrp_regions.f90 program.f90 \
!     $(pkg-config --libs libpmcgrp)
!
!   use pmcgrp_regions
!   call pmcgrp_region_begin("solve")
!   call solve
!   call pmcgrp_region_end("solve")
!
! For hot code a handle saves the search for the name:
!
!   type(c_ptr) :: step
!   step = pmcgrp_region_find("step")
!   call pmcgrp_region_enter(step)
!   call pmcgrp_region_leave(step)
!
! Blanks at the end of a name are not part of it. <pmcgrp_regions.h> describes the rest.
module pmcgrp_regions
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char, c_null_ptr, c_ptr, &
    c_size_t
  implicit none
  private
  public :: c_ptr
  public :: pmcgrp_region_begin, pmcgrp_region_end, pmcgrp_region_find
  public :: pmcgrp_region_enter, pmcgrp_region_leave
  public :: pmcgrp_regions_start, pmcgrp_regions_stop, pmcgrp_regions_report

  interface
    subroutine begin_n(name, length) bind(c, name="pmcgrp_region_begin_n")
      import :: c_char, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
    end subroutine

    subroutine end_n(name, length) bind(c, name="pmcgrp_region_end_n")
      import :: c_char, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
    end subroutine

    function find_n(name, length) bind(c, name="pmcgrp_region_find_n") result(region)
      import :: c_char, c_ptr, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
      type(c_ptr) :: region
    end function

    ! A region that pmcgrp_region_find() has given begins, and ends.
    subroutine pmcgrp_region_enter(region) bind(c, name="pmcgrp_region_enter_on")
      import :: c_ptr
      type(c_ptr), value :: region
    end subroutine

    subroutine pmcgrp_region_leave(region) bind(c, name="pmcgrp_region_leave_on")
      import :: c_ptr
      type(c_ptr), value :: region
    end subroutine

    ! As in C: 0, or a negative errno.
    function pmcgrp_regions_stop() bind(c, name="pmcgrp_regions_stop") result(ret)
      import :: c_int
      integer(c_int) :: ret
    end function

    function report_c(file) bind(c, name="pmcgrp_regions_report") result(ret)
      import :: c_int, c_ptr
      type(c_ptr), value :: file
      integer(c_int) :: ret
    end function

    function start_c(events, flags, error) bind(c, name="pmcgrp_regions_start") result(ret)
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in) :: events(*)
      integer(c_int), value :: flags
      type(c_ptr), value :: error
      integer(c_int) :: ret
    end function
  end interface

contains

  subroutine pmcgrp_region_begin(name)
    character(len=*), intent(in) :: name

    call begin_n(name, len(name, c_size_t))
  end subroutine

  subroutine pmcgrp_region_end(name)
    character(len=*), intent(in) :: name

    call end_n(name, len(name, c_size_t))
  end subroutine

  function pmcgrp_region_find(name) result(region)
    character(len=*), intent(in) :: name
    type(c_ptr) :: region

    region = find_n(name, len(name, c_size_t))
  end function

  ! As in C, without flags: 0, or a negative errno. "" stands for the events by default.
  function pmcgrp_regions_start(events) result(ret)
    character(len=*), intent(in) :: events
    integer(c_int) :: ret

    ret = start_c(trim(events) // c_null_char, 0_c_int, c_null_ptr)
  end function

  ! To stderr: 0, or a negative errno.
  function pmcgrp_regions_report() result(ret)
    integer(c_int) :: ret

    ret = report_c(c_null_ptr)
  end function
end module
