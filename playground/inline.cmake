# Puts the styles, the scripts and the model into the page: what stands there as @NAME@.
cmake_minimum_required(VERSION 3.25) # @NAME@ is text
foreach(part style.css library.js map.js tile.js cluster.js barrier.js descriptor.js layout.js main.js)
  file(READ ${SOURCE}/${part} text)
  string(APPEND ${part} "${text}")
endforeach()
file(READ ${BUILD}/model.js model)
file(READ ${SOURCE}/page.html page)
string(REPLACE "@STYLE@" "${style.css}" page "${page}")
string(REPLACE "@VERSION@" "${VERSION}" page "${page}")
string(REPLACE "@MODEL@" "${model}" page "${page}")
string(REPLACE "@SCRIPT@"
  "${library.js}\n${map.js}\n${tile.js}\n${cluster.js}\n${barrier.js}\n${descriptor.js}\n${layout.js}\n${main.js}" page "${page}")
file(WRITE ${BUILD}/playground.html "${page}")
