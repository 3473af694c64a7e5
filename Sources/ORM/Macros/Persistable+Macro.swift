#if Macros
  /// Makes a struct or final class a model: its entity, its row initialiser and its encoder, as one
  /// would write them by hand for the fast path.
  ///
  /// ```swift
  /// @Persistable(indexes: [["taste", .descending("price")]])
  /// struct Snack {
  ///   @PrimaryKey(.generated) var id: Int64 = 0
  ///   @Attribute(.indexed, .indexed(.caseInsensitive)) var name: String
  ///   var taste: String?
  ///   var price: Double = 0
  ///   @Transient var isSelected = false
  /// }
  /// ```
  ///
  /// Every stored property is an attribute, a struct of attributes where it is marked `@Embedded`,
  /// or a relationship where its type is `ToOne` or `ToMany`; computed and static ones are none. A
  /// literal that a property starts with is the attribute's default in the store too, so that it
  /// can be added to a store whose rows lack it. The type becomes `Persistable`, and `PrimaryKeyed`
  /// where a property is marked `@PrimaryKey`. Members have the type's access level. Everything
  /// else stays: the memberwise initialiser, conformances, observers.
  ///
  /// Rules over several attributes, templates and other parts of an entity that belong to no single
  /// property are static properties of the type `EntityPart`, with any name:
  ///
  /// ```swift
  /// @Persistable
  /// struct Room {
  ///   @PrimaryKey var id: Int
  ///   var opens: Int
  ///   var closes: Int
  ///
  ///   static let rules: EntityPart<Room> =
  ///     .rule("hours", "must close after it opens") { $0.closes > $0.opens }
  ///   static let templates: EntityPart<Room> =
  ///     .template("early", "opens < $HOUR", sortedBy: "opens")
  /// }
  /// ```
  ///
  /// `sharedAttributes` is none of them. Code that checks whole objects and hooks are conformances to
  /// ``/ORMCore/ValidatedModel``, ``/ORMCore/WriteHooks`` and `LoadHook`, as by hand.
  ///
  /// A final class must be `Sendable` by its own declaration; <doc:ClassModels> has the rules of class
  /// models. In a module whose default isolation is an actor, a model is `nonisolated`.
  ///
  /// A relationship starts as `ToMany()` or `ToOne()`, which set nothing. `[]` and `nil` are refused
  /// as initial values: a save of a new object would clear the links of the row that has its key.
  ///
  /// - Parameters:
  ///   - name: the entity's name; the type's unless given.
  ///   - storedName: another name in the store.
  ///   - naming: how names in the store follow from names in the program, for this entity; the
  ///     schema's unless given.
  ///   - parent: the model whose key and attributes this one declares again, since it is a kind of
  ///     it: its rows are rows of the parent too.
  ///   - indexes: indexes over one or several attributes, each a list written out.
  ///   - unique: unique rules over one or several attributes; rows with a nil among them are exempt.
  @attached(
    member, names: named(entity), named(ID), named(id), named(columnCount), named(init(row:)),
    named(encode(into:)))
  @attached(
    extension, conformances: Persistable, PrimaryKeyed,
    names: named(entity), named(ID), named(id), named(columnCount), named(init(row:)),
    named(encode(into:)))
  public macro Persistable(
    _ name: String? = nil, storedName: String? = nil, naming: NamingStrategy? = nil,
    parent: (any Persistable.Type)? = nil, indexes: [[IndexDescription.Term]] = [],
    unique: [[IndexDescription.Term]] = []
  ) = #externalMacro(module: "ORMMacros", type: "PersistableMacro")

  /// The class that the compiler names where a model inherits from another class.
  ///
  /// The macro reads the stored properties of the model itself, so those of a superclass would not be
  /// stored. Move them into the model, or make them requirements of a protocol: then its name stays in
  /// the inheritance clause.
  public final class ModelsInheritFromNoClass: Sendable {
    private init() {}
  }
#endif
