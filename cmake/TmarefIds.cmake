# The ids of the tables, made by ids.sh: objects that know a rule, an instruction form or a family by its name include these.
set(TMAREF_IDS ${PROJECT_BINARY_DIR}/ids)
file(MAKE_DIRECTORY ${TMAREF_IDS})
set(made "")
function(tmaref_ids table out)
  add_custom_command(OUTPUT ${TMAREF_IDS}/${out} BYPRODUCTS ${ARGN}
    COMMAND sh ${PROJECT_SOURCE_DIR}/cmake/ids.sh ${PROJECT_SOURCE_DIR}/${table} ${TMAREF_IDS}/${out}
    DEPENDS ${PROJECT_SOURCE_DIR}/cmake/ids.sh ${PROJECT_SOURCE_DIR}/cmake/calls.awk ${PROJECT_SOURCE_DIR}/${table}
    COMMENT "Reading the ids of ${table}" VERBATIM)
  set(made ${made} ${TMAREF_IDS}/${out} PARENT_SCOPE)
endfunction()

# The headers of rules' groups: all.h names them, and changes where there is a new one.
execute_process(COMMAND sh ${PROJECT_SOURCE_DIR}/cmake/ids.sh ${PROJECT_SOURCE_DIR}/model/core/rules.def
  ${TMAREF_IDS}/rule_ids.def COMMAND_ERROR_IS_FATAL ANY)
file(STRINGS ${TMAREF_IDS}/rules/all.h groups)
list(TRANSFORM groups REPLACE "#include \"(.*)\"" "${TMAREF_IDS}/\\1")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${TMAREF_IDS}/rules/all.h)

tmaref_ids(model/core/rules.def rule_ids.def ${groups} ${TMAREF_IDS}/rules/all.h)
tmaref_ids(model/ptx/forms.def form_ids.def)
tmaref_ids(harness/family/families.def family_ids.def)
tmaref_ids(model/driver/driver_calls.def made_calls.def)
add_custom_target(tmaref_id_tables DEPENDS ${made})
add_dependencies(tmaref_flags tmaref_id_tables)
target_include_directories(tmaref_flags INTERFACE ${TMAREF_IDS})
