public import ORMCore
public import ORMRows
internal import ORMStorage

// Steps that move attributes between entities, and fill them.
extension MigrationStep {
  /// Moves the attributes of the target of a to-one into the entity that leads there, and drops the
  /// to-one and the target: the inverse of ``split(_:into:moving:link:key:)``.
  ///
  /// ```swift
  /// let step = MigrationStep.fold("address", into: "Player", prefix: "home_")
  /// ```
  ///
  /// Rows without a target get nil. If an attribute is required, they stop the migration with
  /// `missingValue`: make it optional in a step before. A target that no row leads to stops it with
  /// `validationFailed`, since its values would be lost. Generated keys of targets are dropped.
  ///
  /// - Parameters:
  ///   - link: the to-one.
  ///   - entity: the entity that has it, and gets the attributes.
  ///   - prefix: a text before the name of each attribute.
  public static func fold(_ link: String, into entity: String, prefix: String = "") -> Self {
    Self(.fold(fold: EntityFold(link: link, entity: entity, prefix: prefix)))
  }

  /// Moves an attribute along a to-one, from the entity that has the to-one to its target or back.
  ///
  /// ```swift
  /// let step = MigrationStep.move("city", from: "Player", to: "Team", through: "team")
  /// ```
  ///
  /// No value is lost. A value of a row without a target, or of a target that no row leads to, stops
  /// the migration with `validationFailed`; different values for one target stop it with
  /// `conflictingLinks`. The attribute stays required or optional: rows that get no value stop the
  /// migration with `missingValue` if it is required.
  ///
  /// - Parameters:
  ///   - name: the attribute.
  ///   - giver: the entity that has it.
  ///   - receiver: the entity that gets it.
  ///   - link: the to-one, which either of them has.
  public static func move(
    _ name: String, from giver: String, to receiver: String, through link: String
  ) -> Self {
    Self(.move(move: AttributeMove(name: name, from: giver, to: receiver, link: link)))
  }

  /// Sets an attribute to values that a closure makes for a batch of rows at a time, such as those of
  /// a service.
  ///
  /// ```swift
  /// let step = MigrationStep.fill("country", in: "City", named: "countries", revision: 1) { rows in
  ///   rows.map { row in .string(row["name"] == .string("Oslo") ? "NO" : "?") }
  /// }
  /// ```
  ///
  /// Rows come in the order of the key. The closure returns a value for each, in their order; another
  /// number of values stops the migration with `invalidBatch`.
  ///
  /// - Parameters:
  ///   - name: the attribute.
  ///   - entity: the entity that has it.
  ///   - closure: a name for the closure, which the store keeps instead of its code.
  ///   - revision: a number that is raised when the closure changes its meaning.
  ///   - body: called with the rows of a batch.
  public static func fill(
    _ name: String, in entity: String, named closure: String, revision: Int,
    _ body: @escaping @Sendable ([DynamicRow]) throws -> [StoredValue]
  ) -> Self {
    Self(
      .fill(
        name: name, entity: entity, closure: .init(name: closure, revision: revision, body: body)))
  }

  /// Gives a case of an enumeration with texts another text.
  ///
  /// ```swift
  /// let step = MigrationStep.renameCase("mild", to: "gentle", of: "taste", in: "Snack")
  /// ```
  ///
  /// It is ``set(_:in:to:where:by:)`` for the rows with the old text, undone by the opposite.
  public static func renameCase(
    _ text: String, to newText: String, of attribute: String, in entity: String
  ) -> Self {
    func step(_ old: String, _ new: String, undo: [Self]? = nil) -> Self {
      let isOld = Condition.compare(.attribute(attribute), .equal, .value(.string(old)), [])
      return Self(
        .set(
          name: attribute, entity: entity, value: Operand.value(.string(new)).description,
          condition: isOld.description, mapping: .exact), undo: undo)
    }
    return step(text, newText, undo: [step(newText, text)])
  }
}

extension WriteTransaction {
  /// Sets an attribute to the values of a closure, a batch of rows at a time.
  func fill(
    _ name: String, of entity: StoredEntity, _ body: ([DynamicRow]) throws -> [StoredValue]
  ) throws {
    let stored = try EntityPlan(entity.modelName, in: store).entity
    let column: Int = try stored.column(named: name)
    try migrationBatches(of: stored) { rows in
      let values = try ClosureFailure.naming(
        entity.modelName, rows.first.map { row in stored.keyAttributes.map { row[$0] } } ?? [],
        [name], isBatch: true
      ) { try body(rows) }
      guard values.count == rows.count else {
        throw StoreError(
          .invalidBatch, "the closure returned \(values.count) values for \(rows.count) rows",
          entity: entity.modelName, attributes: [name])
      }
      var filled: [DynamicRow] = []
      for (row, value) in zip(rows, values) {
        var new = DynamicRow(entity.modelName, row.key(of: stored))
        new[name] = try stored.checked(value, at: column)
        filled.append(new)
      }
      try rewrite(filled, of: stored)
    }
  }
}

// Steps that bring the rows of several entities together, and apart.
extension MigrationStep {
  /// Makes the rows of several entities rows of one; links to them follow.
  ///
  /// ```swift
  /// let step = MigrationStep.merge(["Contact", "Customer"], into: "Person", on: ["email"])
  /// ```
  ///
  /// Entities are merged one after another, each by its key. Rows of two entities that agree in the
  /// attributes of `names` become one row, with the values of both. Different values for it stop the
  /// migration with `conflictingLinks`. Null agrees with none, and rows of one entity that agree with
  /// each other stop the migration with `duplicate`.
  ///
  /// Rows that agree with none become new rows. If the store makes the keys of `into`, they get the
  /// next keys, unless `names` are the key; other keys stay, and one that is there stops the migration
  /// with `duplicate`. Keys that the store made for a merged entity are dropped.
  ///
  /// An attribute that not every entity has becomes optional, unless it has a constant default. A
  /// relationship that both have by one name is one afterwards; its inverse is that of `into`.
  ///
  /// - Parameters:
  ///   - entities: the entities, none of them part of a hierarchy.
  ///   - into: the entity that gets the rows. If there is none, the first entity gets this name.
  ///   - names: the attributes of rows that are the same; by default no rows are.
  public static func merge(
    _ entities: [String], into: String, on names: [String] = []
  ) -> Self {
    Self(.merge(merge: EntityMerge(entities: entities, into: into, matching: names)))
  }

  /// Makes an entity a subentity of another, and its rows rows of that hierarchy; links follow.
  ///
  /// ```swift
  /// let step = MigrationStep.inherit("Car", from: "Vehicle")
  /// ```
  ///
  /// The entity has the attributes that the parent requires, and keys of the same names and types. If
  /// the store makes the keys, its rows get the next keys of the hierarchy.
  ///
  /// - Parameters:
  ///   - entity: the entity, without subentities of its own.
  ///   - parent: the entity above it afterwards, a root or a subentity.
  ///   - keepsKeys: true if the rows keep the keys that the store made; one that the hierarchy has
  ///     stops the migration with `duplicate`.
  public static func inherit(
    _ entity: String, from parent: String, keepingKeys keepsKeys: Bool = false
  ) -> Self {
    Self(
      .inherit(
        inheritance: Inheritance(entity: entity, parent: parent, keepsKeys: keepsKeys)))
  }

  /// Makes a subentity an entity of its own, with the attributes that it inherits; rows keep their keys.
  ///
  /// ```swift
  /// let step = MigrationStep.disinherit("Car", from: "Vehicle")
  /// ```
  ///
  /// It keeps the to-ones that it inherits, without an inverse. A link that leads to one of its rows as
  /// to a row of an entity above would be lost, and stops the migration with `validationFailed`.
  ///
  /// - Parameters:
  ///   - entity: the subentity, without subentities of its own.
  ///   - parent: the entity above it.
  public static func disinherit(_ entity: String, from parent: String) -> Self {
    Self(.disinherit(entity: entity, parent: parent))
  }

  /// Runs a statement of SQL in a store of one kind, on the tables as they are at this version.
  ///
  /// ```swift
  /// let step = MigrationStep.sql("CREATE VIEW cheap AS SELECT * FROM Snack", for: .sqlite)
  /// ```
  ///
  /// The plan is `invalidPlan` for stores of other kinds: give each kind a plan of its own. The statement
  /// must not change the parts that the schema describes: tables and columns of entities, and the form of
  /// values. That is checked afterwards, by a look at every row, and `invalidPlan` otherwise.
  ///
  /// - Parameters:
  ///   - text: one statement, which begins with `INSERT`, `UPDATE`, `DELETE`, `REPLACE`, `WITH`,
  ///     `CREATE` or `ANALYZE`.
  ///   - kind: the kind of store.
  public static func sql(_ text: String, for kind: StoreKind) -> Self {
    Self(.sql(text: text, kind: kind.scheme))
  }
}
