#if Macros
  /// A model as the macro read it; all texts are Swift code.
  struct Model {
    /// The type as the expansion names it: `Outer.Snack`.
    var type: String
    /// The `@available` attributes of the type, which its extension needs too.
    var availability: [String]
    /// True if the type is `nonisolated` by its own declaration; its extension must say so too.
    var isNonisolated: Bool
    /// The arguments in the parentheses of the entity: `"Snack", naming: .snakeCase`.
    var entityArguments: [String]
    /// `public `, with the space, or nothing.
    var access: String
    var isClass: Bool
    /// True if the type is nested in another, so that its extension does not see the types beside it.
    var isNested: Bool
    /// True if the type is a struct with a memberwise initializer that takes its properties in
    /// their declared order, as they are written.
    var hasMemberwiseInitializer: Bool
    var isKeyed: Bool
    /// The key's property, where it has another name than `id`.
    var namedKey: NamedKey?
    /// The key, where properties are its parts: to-ones, and attributes beside them.
    var linkedKey: LinkedKey?
    /// True if others may hold it as a struct of attributes.
    var canBeEmbedded: Bool {
      !isKeyed
        && properties.allSatisfy {
          switch $0.kind {
          case .toOne, .toMany, .linkedKey: false
          default: true
          }
        }
    }
    /// The stored properties, in declared order.
    var properties: [Property]
    /// The arguments in the parentheses of each `.index`; in `uniques`, of each `.unique`.
    var indexes: [String]
    var uniques: [String]
    /// The static properties that hold further parts of the entity.
    var parts: [String]
    /// The types that a class inherits, as far as they may be classes.
    var inherited: [Inherited]

    struct Property {
      /// The property as code names it, in backticks where it has some.
      var code: String
      /// The name of the attribute or relationship, a string literal as a rule.
      var name: String
      var kind: Kind
      /// The position of the property, if only the compiler can check whether its type fits.
      var origin: SourceOrigin?
    }

    /// A position in the source, for the compiler's errors about the generated code.
    struct SourceOrigin {
      /// The file, a string literal.
      var file: String
      var line: String
      var column: Int
    }

    /// A type that a class inherits, if only the compiler can check that it is no class.
    struct Inherited {
      var type: String
      var origin: SourceOrigin
    }

    enum Kind {
      case key(options: [String])
      case compositeKey(CompositeKey)
      /// `fallback` is the case read for an unknown raw value.
      case attribute(options: [String], fallback: String?)
      /// The arguments are the derivation and the options.
      case derived(arguments: [String])
      /// `count` is how many columns the struct has.
      case embedded(arguments: [String], count: String)
      case json(options: [String])
      /// A to-one that is part of the key.
      case linkedKey(arguments: [String])
      case toOne(arguments: [String])
      case toMany(arguments: [String])
    }

    /// A key whose property has another name than `id`.
    struct NamedKey {
      /// The property as code names it.
      var code: String
      var type: String
      /// True if the model declares `id` itself.
      var declaresID: Bool
    }

    /// A key whose parts are properties.
    struct LinkedKey {
      /// The parts in declared order: the property, and the type that it has in the key.
      var parts: [(code: String, type: String, isLink: Bool)]
      /// True if the model declares `ID` itself.
      var declaresType: Bool
      /// True if the model declares `id` itself.
      var declaresID: Bool
    }

    struct CompositeKey {
      /// The key's properties in order, which are the attributes.
      var parts: [String]
      /// The key's type, where its memberwise initialiser can be called.
      var initializer: String?
    }
  }
#endif
