# sections_of(NAMES FILE...): the names of the sections (section.h) in these sources of the folder, in their order.
function(sections_of names)
  set(found)
  foreach(file IN LISTS ARGN)
    get_filename_component(file ${file} ABSOLUTE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(STRINGS ${file} rows REGEX "^SECTION.[a-z0-9_]+.$")
    list(TRANSFORM rows REPLACE "^SECTION.([a-z0-9_]+).$" "\\1")
    list(APPEND found ${rows})
  endforeach()
  set(${names} ${found} PARENT_SCOPE)
endfunction()

# call_runner(TARGET NAMES.h SOURCE...): a runner of call scripts (driver/calls/README.md) that knows what this header
# declares, as the preprocessor gives it, with the compile definitions and the folders of includes of the target.
function(call_runner target names)
  pkg_check_modules(FFI REQUIRED IMPORTED_TARGET libffi)
  file(GLOB runner_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/driver/calls/*.c)
  set(text ${CMAKE_CURRENT_BINARY_DIR}/${target}.i)
  get_filename_component(names ${names} ABSOLUTE)
  add_executable(${target} ${runner_files} ${ARGN})
  set_target_properties(${target} PROPERTIES ENABLE_EXPORTS ON) # for dlsym
  target_compile_definitions(${target} PRIVATE API_TEXT="${text}")
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests
    $<TARGET_PROPERTY:tmaref_model,INTERFACE_INCLUDE_DIRECTORIES>)
  target_link_libraries(${target} PRIVATE tmaref_flags PkgConfig::FFI m ${CMAKE_DL_LIBS})
  add_custom_command(OUTPUT ${text}
    COMMAND ${CMAKE_C_COMPILER} -std=c11 -E -P -MD -MF ${text}.d -MT ${text} -DRULE_IDS_IN_ENUM
      "-I$<JOIN:$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>,;-I>" -o ${text} ${names}
    DEPENDS ${names} DEPFILE ${text}.d COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(${target}_api ALL DEPENDS ${text})
  add_dependencies(${target} ${target}_api)
endfunction()

# call_script(PREFIX FILE [VARIABLE=VALUE]): a test PREFIX_NAME of each section of a call script (driver/calls/README.md).
function(call_script prefix script)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script})
  file(STRINGS ${script} rows REGEX "^section ")
  foreach(row IN LISTS rows)
    string(REPLACE "section " "" section ${row})
    if(NOT section IN_LIST not_sanitized)
      add_test(NAME ${prefix}_${section} COMMAND calls ${section} ${PROJECT_SOURCE_DIR}/tests/driver/calls/common.calls ${script})
      set_tests_properties(${prefix}_${section} PROPERTIES LABELS unit ENVIRONMENT "${ARGN}")
    endif()
  endforeach()
endfunction()
