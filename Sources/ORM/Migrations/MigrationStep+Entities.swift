public import ORMCore

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
  ///   - closure: a name for the closure, which the store keeps in the place of its code.
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
      let values = try body(rows)
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
