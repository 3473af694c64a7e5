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
  /// Without the trait there is no macro, and nothing to build one of.
  @main
  enum Plugin {
    static func main() {}
  }
#endif
