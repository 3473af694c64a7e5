public import ORMStorage

/// The differences between two schemas by the names of the program, and the steps of a plan that lead
/// from one to the other.
///
/// ```swift
/// let difference = SchemaDifference(from: store.schema, to: schema.stored)
/// print(difference)
/// ```
///
/// Additions need no step. An attribute, a relationship or an entity that is missing may have got another
/// name: such a rename is a question (``questions``) and never among the ``steps``. Pass an answer as a
/// step to `init(from:to:after:)`, and the rest is compared again.
public struct SchemaDifference: Sendable {
  /// The version of the schema before.
  public let oldVersion: Int?
  /// The version of the schema afterwards.
  public let newVersion: Int?
  /// The steps that were decided before the comparison, renames for instance.
  public let decided: [MigrationStep]
  /// The differences, entity by entity.
  public let changes: [Change]
  /// The renames that may be the cause of dropped and added parts.
  public let questions: [RenameQuestion]

  /// Compares two schemas.
  ///
  /// - Parameters:
  ///   - old: the schema before.
  ///   - new: the schema afterwards.
  ///   - decided: steps that are applied to the schema before the comparison.
  /// - Throws: `invalidPlan` for a step that the schema does not allow.
  public init(
    from old: StoredSchema, to new: StoredSchema, after decided: [MigrationStep]
  ) throws {
    var draft = SchemaDraft(old)
    draft.version = new.version ?? (old.version ?? 0) &+ 1
    for step in decided { try step.action.apply(to: &draft) }
    self.init(draft.schema, new, oldVersion: old.version, decided)
  }

  /// Compares the schemas of two stores, and up to 1,000 rows of attributes that may be renamed ones.
  ///
  /// ```swift
  /// let released = try SQLiteStore(path: "released.sqlite", schema: Schema(Snack.self))
  /// let difference = try SchemaDifference(from: released, to: store)
  /// for question in difference.questions { print(question.candidates) }
  /// ```
  ///
  /// - Parameters:
  ///   - old: the store with the schema before.
  ///   - new: a store with the schema afterwards.
  ///   - decided: steps that are applied to the schema before the comparison.
  /// - Throws: `invalidPlan` for a step that the schema does not allow; the errors of reading.
  public init(
    from old: any Store, to new: any Store, after decided: [MigrationStep] = []
  ) throws {
    var draft = SchemaDraft(old.schema.declaredPart)
    draft.version = new.schema.version ?? (old.schema.version ?? 0) &+ 1
    for step in decided { try step.action.apply(to: &draft) }
    var samples = ValueSamples(old, new, draft)
    var failure: (any Error)?
    self.init(
      draft.schema, new.schema.declaredPart, oldVersion: old.schema.version, decided
    ) { entity, name, other in
      do { return try samples.likeness(of: name, in: entity, other) } catch {
        failure = failure ?? error
        return nil
      }
    }
    if let failure { throw failure }
  }

  /// Compares two schemas.
  public init(from old: StoredSchema, to new: StoredSchema) {
    self.init(old, new, oldVersion: old.version, [])
  }

  private init(
    _ old: StoredSchema, _ new: StoredSchema, oldVersion: Int?, _ decided: [MigrationStep],
    _ likenessOfValues: (String, String, String) -> Double? = { _, _, _ in nil }
  ) {
    let finder = withoutActuallyEscaping(likenessOfValues) { likeness in
      var finder = DifferenceFinder(old, new)
      finder.likenessOfValues = likeness
      finder.run()
      finder.likenessOfValues = { _, _, _ in nil }
      return finder
    }
    self.oldVersion = oldVersion
    newVersion = new.version
    self.decided = decided
    changes = finder.changes
    questions = finder.questions
  }

  /// True if the schemas differ in no part; their versions may differ.
  public var isEmpty: Bool { decided.isEmpty && changes.isEmpty }

  /// The steps that do without a guess of renames: those that were decided, then those of changes that
  /// no question is open about.
  public var steps: [MigrationStep] {
    decided + changes.filter { !$0.isOpen }.flatMap(\.steps)
  }

  /// One difference.
  public struct Change: Sendable {
    /// The sort of difference.
    public var kind: Kind
    /// The part of the schema that differs.
    public var part: Part
    /// The entity's name in the program.
    public var entity: String
    /// The name of the attribute or relationship, or the terms of the index; nil for an entity.
    public var name: String?
    /// The part in a few words; the old and the new form if it changed.
    public var detail = ""
    /// The steps that make the change; none for additions.
    public var steps: [MigrationStep] = []
    /// A remark on the steps: a loss, or a guess to be checked.
    public var remark: String?
    /// True if a rename may be the cause of the change, so that its steps wait for an answer.
    public var isOpen = false
    /// True if no step makes the change.
    public var isUnsupported = false
  }

  /// The sort of a ``Change``.
  public enum Kind: String, Codable, Sendable {
    /// The part is new.
    case added
    /// The part is missing.
    case dropped
    /// The part has another form.
    case changed
  }

  /// The part of a schema that a ``Change`` is about.
  public enum Part: String, Codable, Sendable {
    /// The entity as a whole, its primary key or its parent.
    case entity
    /// An attribute.
    case attribute
    /// A relationship.
    case relationship
    /// An index or a unique rule.
    case index
  }

  /// A missing part, with the new parts that may be the same under another name.
  public struct RenameQuestion: Sendable {
    /// An entity, an attribute or a relationship.
    public var part: Part
    /// The entity's name in the program.
    public var entity: String
    /// The former name of the attribute or relationship; nil for the entity itself.
    public var name: String?
    /// The possible new names, the likeliest first.
    public var candidates: [Candidate]

    /// A possible new name.
    public struct Candidate: Hashable, Codable, Sendable {
      /// The name.
      public var name: String
      /// The likeness of the names, and for entities of their attributes, from 0 to 1; where values were
      /// compared, the mean of both.
      public var likeness: Double
      /// The part of the values that both attributes have, from 0 to 1; nil where none were compared.
      public var valueLikeness: Double?
    }

    /// The step that renames the part to a candidate.
    public func step(_ candidate: Candidate) -> MigrationStep {
      switch (part, name) {
      case (.attribute, let name?): .renameAttribute(name, to: candidate.name, in: entity)
      case (.relationship, let name?): .renameRelationship(name, to: candidate.name, in: entity)
      default: .renameEntity(entity, to: candidate.name)
      }
    }
  }
}

extension SchemaDifference: Encodable {
  private enum CodingKeys: String, CodingKey {
    case oldVersion, newVersion, changes, steps, questions
  }

  /// Writes the versions, the changes, the steps as a plan has them, and the questions.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeIfPresent(oldVersion, forKey: .oldVersion)
    try values.encodeIfPresent(newVersion, forKey: .newVersion)
    try values.encode(changes, forKey: .changes)
    try values.encode(steps, forKey: .steps)
    try values.encode(questions, forKey: .questions)
  }
}

extension SchemaDifference.Change: Encodable {}
extension SchemaDifference.RenameQuestion: Encodable {}
