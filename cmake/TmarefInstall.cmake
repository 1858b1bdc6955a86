# What `cmake --install` puts where: libtmaref (static and shared), its headers, a CMake package and a pkg-config file.
# The public headers are those that model/tmaref.h includes; there is no second list of them.
include(CMakePackageConfigHelpers)

file(STRINGS ${PROJECT_SOURCE_DIR}/model/tmaref.h public_includes REGEX "^#include \"")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/model/tmaref.h)
set(public_headers ${PROJECT_SOURCE_DIR}/model/tmaref.h ${PROJECT_SOURCE_DIR}/model/core/rules.def)
foreach(include IN LISTS public_includes)
  string(REGEX REPLACE "^#include \"(.*)\"$" "\\1" header ${include})
  file(GLOB_RECURSE found ${PROJECT_SOURCE_DIR}/model/*/${header})
  list(APPEND public_headers ${found})
endforeach()

install(TARGETS tmaref_model tmaref_shared EXPORT tmarefTargets)
install(FILES ${public_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tmaref)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/tmaref.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tmaref)
install(EXPORT tmarefTargets NAMESPACE tmaref:: DESTINATION ${package_dir} FILE tmarefConfig.cmake)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tmarefConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tmarefConfigVersion.cmake DESTINATION ${package_dir})

configure_file(${PROJECT_SOURCE_DIR}/cmake/tmaref.pc.in ${PROJECT_BINARY_DIR}/tmaref.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tmaref.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
