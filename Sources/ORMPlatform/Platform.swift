// The C library of the system under one name, so that no other file chooses between three. Functions
// that share their name with a method are called as `ORMPlatform.read`. Where systems differ in a
// function, `#if canImport(Darwin)` is at the call.

#if canImport(Glibc)
  // Dispatch's headers own some declarations of glibc's, such as `stat`, if they are loaded first.
  @_exported public import CDispatch
  @_exported public import Glibc
#elseif canImport(Musl)
  @_exported public import Musl
#elseif canImport(Darwin)
  @_exported public import Darwin
#endif
