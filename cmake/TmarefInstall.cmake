# What `cmake --install` puts where: libtmaref (static and shared), its headers, a CMake package and a pkg-config file.
# The public headers are those that model/tmaref.h includes, and what they include; there is no second list of them.
include(CMakePackageConfigHelpers)

set(public_headers "")
set(unread ${PROJECT_SOURCE_DIR}/model/tmaref.h)
while(unread)
  list(POP_FRONT unread file)
  list(APPEND public_headers ${file})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(STRINGS ${file} includes REGEX "^#include \"")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "^#include \"(.*)\".*" "\\1" name ${include})
    file(GLOB found ${PROJECT_SOURCE_DIR}/model/*/${name})
    if(NOT found IN_LIST public_headers AND NOT found IN_LIST unread)
      list(APPEND unread ${found})
    endif()
  endforeach()
endwhile()

install(TARGETS tmaref_model tmaref_shared EXPORT tmarefTargets)
install(FILES ${public_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tmaref)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/tmaref.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tmaref)
install(EXPORT tmarefTargets NAMESPACE tmaref:: DESTINATION ${package_dir} FILE tmarefConfig.cmake)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tmarefConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tmarefConfigVersion.cmake DESTINATION ${package_dir})

file(RELATIVE_PATH TMAREF_PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/cmake/tmaref.pc.in ${PROJECT_BINARY_DIR}/tmaref.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tmaref.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
