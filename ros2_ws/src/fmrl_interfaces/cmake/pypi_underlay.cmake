# Injected after project() when the underlay is the ROS wheels from PyPI instead of a ROS distribution
# (-DCMAKE_PROJECT_fmrl_interfaces_INCLUDE=cmake/pypi_underlay.cmake). CMakeLists.txt stays standard.

# The wheels install into a Python environment's prefix, which no setup script announces.
find_program(FMRL_PYTHON NAMES python3 python HINTS "$ENV{VIRTUAL_ENV}/bin")
if(DEFINED Python_EXECUTABLE)
  set(FMRL_PYTHON "${Python_EXECUTABLE}")
endif()
execute_process(
  COMMAND "${FMRL_PYTHON}" -c
    "import pathlib, ament_package; print(pathlib.Path(ament_package.__file__).resolve().parents[4].as_posix())"
  OUTPUT_VARIABLE FMRL_PREFIX OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
list(PREPEND CMAKE_PREFIX_PATH "${FMRL_PREFIX}")
set(ENV{AMENT_PREFIX_PATH} "${FMRL_PREFIX}:$ENV{AMENT_PREFIX_PATH}")

# Their exported targets name the Python headers of the machine that built them; CMake stops at a missing folder.
function(fmrl_drop_missing_include_directories)
  get_property(imported DIRECTORY PROPERTY IMPORTED_TARGETS)
  foreach(target IN LISTS imported)
    get_target_property(include_directories ${target} INTERFACE_INCLUDE_DIRECTORIES)
    if(include_directories)
      list(FILTER include_directories EXCLUDE REGEX "^/opt/python/")
      set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${include_directories}")
    endif()
  endforeach()
endfunction()
cmake_language(DEFER CALL fmrl_drop_missing_include_directories)
