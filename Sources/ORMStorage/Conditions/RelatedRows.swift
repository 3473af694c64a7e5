/// The elements of a to-many inside a condition, as a program names them.
///
/// The names lead from a scope's row to the to-many, the last of them; those before may be to-ones, and
/// to-manys, which flatten (clause 2.7). The elements are the rows of `scope` in the condition or operand
/// beside.
public struct Elements: Hashable, Codable, Sendable {
  /// The path to the elements.
  public var path: Operand.Path
  /// The number by which the condition beside names an element; another than those of the rows
  /// around.
  public var scope: Int

  /// Creates a path to elements.
  public init(_ path: Operand.Path, scope: Int) {
    self.path = path
    self.scope = scope
  }
}

/// Rows of other entities that belong to a row: the form in which stores see relationships.
///
/// The steps are joined one after another, as in `FROM a JOIN b ON …`: a row of the first step for
/// every one whose attributes equal those named of the rows around, a row of the second for each of
/// these, and so on. A link with a null on either side holds for no row.
public struct RelatedRows: Hashable, Codable, Sendable {
  /// The entities, from the row around on; never empty.
  public var steps: [Step]

  /// Makes rows of steps.
  public init(_ steps: [Step]) { self.steps = steps }

  /// The number of steps an aggregate goes through at most, on every store: engines that join the
  /// entities of a path join no more than about 60.
  ///
  /// A many-to-many takes two steps. More are `tooComplex` (clause 7.1).
  public static let longestAggregate = 50

  /// One entity of the path.
  public struct Step: Hashable, Codable, Sendable {
    /// The entity's stored name.
    public var entity: String
    /// The number by which conditions name its rows; unique in the request.
    public var scope: Int
    /// The links that tie its rows to those before; never empty, all must hold.
    public var links: [Link]
    /// An attribute that must be null in its rows: by which core leaves out rows that were
    /// soft-deleted; nil for all rows.
    public var nullAttribute: String?

    /// Makes a step.
    public init(entity: String, scope: Int, links: [Link], nullAttribute: String? = nil) {
      self.entity = entity
      self.scope = scope
      self.links = links
      self.nullAttribute = nullAttribute
    }
  }

  /// An attribute of a step's row that equals one of a row before.
  public struct Link: Hashable, Codable, Sendable {
    /// The attribute of the step's entity, by its name in the program.
    public var attribute: String
    /// The attribute of the row before: its scope and its one name.
    public var other: Operand.Path

    /// Makes a link.
    public init(_ attribute: String, equals other: Operand.Path) {
      self.attribute = attribute
      self.other = other
    }
  }

  /// The scope of the last step's rows.
  public var scope: Int { steps.last?.scope ?? 0 }
}
