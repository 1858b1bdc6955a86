# What `cmake --install` puts where: libtmaref (static and shared), its headers, a CMake package and a pkg-config file; the
# recordings, where `tmaref replay` looks for them; the pages, in the folders that their links expect.
include(CMakePackageConfigHelpers)

install(TARGETS tmaref_static tmaref_shared EXPORT tmarefTargets)
install(DIRECTORY ${PROJECT_BINARY_DIR}/public/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tmaref)
install(EXPORT tmarefTargets NAMESPACE tmaref:: DESTINATION ${package_dir} FILE tmarefConfig.cmake)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tmarefConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tmarefConfigVersion.cmake DESTINATION ${package_dir})

file(RELATIVE_PATH TMAREF_PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/cmake/tmaref.pc.in ${PROJECT_BINARY_DIR}/tmaref.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tmaref.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(TMAREF_HARNESS)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/traces DESTINATION ${CMAKE_INSTALL_DATADIR}/tmaref PATTERN pyproject.toml EXCLUDE)
endif()
if(PROJECT_IS_TOP_LEVEL)
  install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(DIRECTORY ${PROJECT_BINARY_DIR}/pages/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs) # in the places of the short ones

  # `cpack` in a build folder packs the same into one file.
  set(CPACK_GENERATOR TGZ)
  include(CPack)
endif()
