# libtmaref, static and shared, and its headers: the public face of the model. Inside, names are short and tmaref_model has
# them all; here every name begins with tmaref_, and nothing else is to be seen.
#
#   model/tmaref.h ──▶ publish.sh ──▶ include/tmaref.h, include/tmaref/*/*.h
#   (the one list)         │
#                          └──▶ renames ──▶ objcopy ──▶ tmaref.o ──▶ libtmaref.a, libtmaref.so
#                                              ▲
#                 what they need of the model, linked into one object
set(public ${PROJECT_BINARY_DIR}/public)
set(publish ${CMAKE_CURRENT_LIST_DIR})
file(GLOB model_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/model/*.h ${PROJECT_SOURCE_DIR}/model/*/*.h
  ${PROJECT_SOURCE_DIR}/model/*/*.def)
add_custom_command(OUTPUT ${public}/renames
  COMMAND sh ${publish}/publish.sh ${CMAKE_C_COMPILER} ${PROJECT_SOURCE_DIR}/model ${public}
  DEPENDS ${publish}/publish.sh ${publish}/ids.sh ${publish}/declared.awk ${publish}/publish.awk ${model_headers}
  COMMENT "Writing the public headers" VERBATIM)

# Renamed first, then hidden: the two objcopys that there are apply one command's options in different orders.
if(NOT CMAKE_OBJCOPY)
  message(FATAL_ERROR "There is no objcopy, which gives the library's functions their public names: install binutils")
endif()
separate_arguments(c_flags NATIVE_COMMAND "${CMAKE_C_FLAGS}")
add_custom_command(OUTPUT ${public}/tmaref.o
  COMMAND ${CMAKE_C_COMPILER} ${c_flags} -r -nostdlib -fno-lto -fno-sanitize=all -o ${public}/model.o
    -Wl,@${public}/roots $<TARGET_FILE:tmaref_model>
  COMMAND ${CMAKE_OBJCOPY} --redefine-syms=${public}/renames ${public}/model.o
  COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=tmaref_* ${public}/model.o ${public}/tmaref.o
  DEPENDS tmaref_model ${public}/renames COMMENT "Giving functions their public names" VERBATIM)
add_custom_target(tmaref_public DEPENDS ${public}/tmaref.o)
set_source_files_properties(${public}/tmaref.o PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)

foreach(kind static shared)
  string(TOUPPER ${kind} type)
  add_library(tmaref_${kind} ${type} ${public}/tmaref.o)
  add_dependencies(tmaref_${kind} tmaref_public)
  set_target_properties(tmaref_${kind} PROPERTIES OUTPUT_NAME tmaref LINKER_LANGUAGE C)
  target_include_directories(tmaref_${kind} INTERFACE
    $<BUILD_INTERFACE:${public}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()
set_target_properties(tmaref_static PROPERTIES EXPORT_NAME tmaref)
target_link_libraries(tmaref_static INTERFACE m) # fma() of model/mma
set_target_properties(tmaref_shared PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)
target_link_libraries(tmaref_shared PRIVATE tmaref_flags m)
add_library(tmaref::tmaref ALIAS tmaref_static)
add_library(tmaref::tmaref_shared ALIAS tmaref_shared)

# The library as two files, amalgamation/tmaref.h and tmaref.c, for projects that take its source in.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  set(amalgamation ${PROJECT_BINARY_DIR}/amalgamation)
  set(sources "")
  foreach(folder core number ptx map walk tma sync wgmma cute mma)
    get_target_property(files tmaref_${folder} SOURCES)
    list(TRANSFORM files PREPEND ${PROJECT_SOURCE_DIR}/model/)
    list(APPEND sources ${files})
  endforeach()
  add_custom_command(OUTPUT ${amalgamation}/tmaref.c ${amalgamation}/tmaref.h
    COMMAND ${CMAKE_COMMAND} -E make_directory ${amalgamation}
    COMMAND Python3::Interpreter ${publish}/amalgamate.py ${public} ${TMAREF_IDS} ${amalgamation} ${sources}
    DEPENDS ${publish}/amalgamate.py ${public}/renames ${sources} ${model_headers} COMMENT "Writing tmaref.c" VERBATIM)
  add_custom_target(amalgamation ALL DEPENDS ${amalgamation}/tmaref.c ${amalgamation}/tmaref.h)
else()
  message(STATUS "tmaref.c, the library in one file, is not made: there is no Python 3 here")
endif()

# The reference of all functions, where doxygen is here: the target `reference`.
find_program(DOXYGEN doxygen)
if(DOXYGEN)
  configure_file(${publish}/Doxyfile.in ${PROJECT_BINARY_DIR}/Doxyfile @ONLY)
  add_custom_target(reference COMMAND ${DOXYGEN} ${PROJECT_BINARY_DIR}/Doxyfile
    COMMENT "Writing reference/html" VERBATIM)
  add_dependencies(reference tmaref_public)
endif()
