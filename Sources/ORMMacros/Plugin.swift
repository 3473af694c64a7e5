#if Macros
  internal import SwiftCompilerPlugin
  internal import SwiftSyntaxMacros

  @main
  struct Plugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
      PersistableMacro.self, PrimaryKeyMacro.self, AttributeMacro.self, DerivedMacro.self,
      EmbeddedMacro.self, RelationshipMacro.self, TransientMacro.self,
    ]
  }
#else
  /// The entry point without macros, in a build without their trait.
  @main
  enum Plugin {
    static func main() {}
  }
#endif
